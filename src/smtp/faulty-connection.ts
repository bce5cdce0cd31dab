import type net from 'node:net';
import type {SMTPServer, SMTPServerSession} from 'smtp-server';
import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';
import type {FaultStage} from '../contract/constants.js';
import type {FaultEffect} from '../domain/faults/fault.js';
import type {Log} from '../lib/log.js';
import type {FaultContext} from '../services/faults/engine.js';
import {feedMailData} from './mail-data.js';
import {Refusal, refusalOf} from './reply.js';
import {userOf} from './session.js';
import {SlowConnection, type SlowConnectionOptions} from './slow-connection.js';

/** What goes wrong on purpose. */
export type SmtpFaults = {
	/** Whether any fault may act there, at a recipient or on a mail for these recipients. Where none may, nothing is paid. */
	mayAct(stage: FaultStage, recipients?: readonly string[]): boolean;
	/** Counts the occasion; what is to happen, if anything is. Null at once where no fault matches. */
	evaluate(occasion: FaultContext): Promise<FaultEffect | null> | null;
	/** The ids of the inboxes for which these recipients of the mail were accepted. */
	inboxesOf(recipients: readonly string[], mail: object): readonly string[];
};

export type FaultyConnectionOptions = SlowConnectionOptions & {readonly faults: SmtpFaults; readonly log: Log};

/** What of an occasion the session does not say by itself. */
type Part = Pick<FaultContext, 'stage'> &
	Partial<Pick<FaultContext, 'from' | 'to' | 'user' | 'inboxIds'>> & {helo?: string};

/** Goes on, with the refusal to reply with if there is one. */
type GoOn = (refusal: Refusal | null) => void;

/** The session of each of these connections. */
type OwnSession = SMTPServerSession & {connection: FaultyConnection};

/** A connection of the library that meets faults, each at a command that would be taken without it. */
export abstract class FaultyConnection extends SlowConnection {
	readonly #faults: SmtpFaults;
	readonly #log: Log;
	/** The mail that is to come is broken off. */
	#breaksMail = false;

	constructor(server: SMTPServer, socket: net.Socket, options: FaultyConnectionOptions) {
		super(server, socket, options);
		this.#faults = options.faults;
		this.#log = options.log;
		(this.session as OwnSession).connection = this;
	}

	/** That of a session. */
	static of(session: SMTPServerSession): FaultyConnection {
		return (session as OwnSession).connection;
	}

	/** Is told that a fault ends the connection without an answer. */
	protected abstract noteDrop(): void;

	/** Goes on once the faults of a stage have done what they do; not at all when one ends the connection. */
	meet(part: Part, goOn: GoOn): void {
		const met = this.#faults.mayAct(part.stage, part.to) ? this.#faults.evaluate(this.#occasion(part)) : null;
		if (met === null) {
			goOn(null);
			return;
		}

		met.then(
			effect => this.undergo(part.stage, effect, goOn),
			(error: unknown) => goOn(refusalOf(error, this.id, this.#log)),
		);
	}

	/** Does what a fault does, if there is one, and goes on as `meet`. */
	undergo(stage: FaultStage, effect: FaultEffect | null, goOn: GoOn): void {
		if (this._closing || this._closed) {
			return;
		}

		if (!effect) {
			goOn(null);
			return;
		}

		const {reply, delayMs, byteDelayMs, drop} = effect;
		this.pause(delayMs, () => {
			const isKept = stage === 'end' && !reply && drop !== 'before';
			this.#breaksMail = stage === 'data' && !reply && drop === 'mid';
			if (drop === 'before' || (drop === 'mid' && !reply && !isKept && !this.#breaksMail)) {
				this.noteDrop();
			}

			if (drop === 'before' || drop === 'after_commit') {
				this.breakOff();
				return;
			}

			this.replyAs({enhanced: reply?.enhanced, byteDelayMs, isCut: drop === 'mid' && !this.#breaksMail});
			goOn(reply && new Refusal(reply.code, reply.text));
		});
	}

	override connectionReady(next?: () => void): void {
		this.hold();
		this.meet({stage: 'connect'}, refusal => {
			if (refusal) {
				this._refuse(refusal);
			} else {
				super.connectionReady(next);
			}

			this.release();
		});
	}

	override handler_EHLO(command: Buffer, callback: () => void): void {
		this.#meetGreeting(command, callback, () => super.handler_EHLO(command, callback));
	}

	override handler_HELO(command: Buffer, callback: () => void): void {
		this.#meetGreeting(command, callback, () => super.handler_HELO(command, callback));
	}

	override handler_STARTTLS(command: Buffer, callback: () => void): void {
		const isTaken = !this.secure && wordsOf(command).length === 1;
		this.#meetFirst(isTaken && {stage: 'starttls'}, callback, () => super.handler_STARTTLS(command, callback));
	}

	override handler_DATA(command: Buffer, callback: () => void): void {
		if (!this.#faults.mayAct('data')) {
			super.handler_DATA(command, callback);
			return;
		}

		const to = this.session.envelope.rcptTo.map(({address}) => address);
		this.#meetFirst(to.length > 0 && {stage: 'data', to}, callback, () => super.handler_DATA(command, callback));
	}

	/** The data of a mail is not a stage that the library asks about: it is broken off when it begins to come. */
	override _createParser(): SMTPStream {
		const parser = super._createParser();
		parser._feedDataStream = (chunk, done) => {
			if (this.#breaksMail) {
				this.noteDrop();
				this.breakOff();
			} else {
				feedMailData.call(parser, chunk, done);
			}
		};
		return parser;
	}

	#meetGreeting(command: Buffer, callback: () => void, take: () => void): void {
		const [, helo = '', ...rest] = wordsOf(command);
		// What the library refuses as syntax.
		const isTaken = helo !== '' && rest.length === 0 && /^[^\0-\x1f\x7f-\x9f]{1,300}$/.test(helo);
		this.#meetFirst(isTaken && {stage: 'helo', helo}, callback, take);
	}

	/** For commands that the library does not ask about. */
	#meetFirst(part: Part | false, callback: () => void, take: () => void): void {
		if (!part) {
			take();
			return;
		}

		this.meet(part, refusal => {
			if (refusal) {
				this.send(refusal.responseCode, refusal.message);
				callback();
			} else {
				take();
			}
		});
	}

	#occasion({stage, from, to = [], user, inboxIds, helo}: Part): FaultContext {
		const {remoteAddress: host, hostNameAppearsAs, session} = this;
		const login = userOf(session);
		const sender = session.envelope?.mailFrom;
		const own = login?.inboxId === undefined ? [] : [login.inboxId];
		return {
			stage,
			client: {host, helo: helo ?? (hostNameAppearsAs || null)},
			user: user ?? login?.user ?? null,
			inboxIds: inboxIds ?? (to.length > 0 ? this.#faults.inboxesOf(to, session.envelope) : own),
			ids: {session: this.id},
			from: from ?? (sender ? sender.address : null),
			to,
		};
	}
}

function wordsOf(command: Buffer): readonly string[] {
	return command.toString().trim().split(/\s+/);
}
