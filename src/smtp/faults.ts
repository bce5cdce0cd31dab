import type {SMTPServerOptions, SMTPServerSession} from 'smtp-server';
import type {SMTPConnection} from 'smtp-server/lib/smtp-connection.js';
import type {FaultStage} from '../contract/constants.js';
import type {FaultEffect} from '../domain/faults/fault.js';
import type {Log} from '../lib/log.js';
import type {FaultContext} from '../services/faults/engine.js';
import type {CommandHandler} from './authentication.js';
import type {SessionPacing} from './pacing.js';
import type {RefusalReports} from './refusals.js';
import {Refusal, refusalOf} from './reply.js';
import {type SessionUser, userOf} from './session.js';

/** Faults as SMTP sessions see them. */
export type SmtpFaults = {
	/** False if no fault can act at this stage, on these recipients: nothing else is computed then. */
	mayAct(stage: FaultStage, recipients?: readonly string[]): boolean;
	/** Counts the context, and returns the effect of the fault that acts, if there is one. Null at once if no fault matches. */
	evaluate(context: FaultContext): Promise<FaultEffect | null> | null;
	/** Ids of the inboxes that these recipients of the mail were accepted for. */
	inboxesOf(recipients: readonly string[], mail: object): readonly string[];
};

/** Parts of a fault context that do not follow from the session. */
type StageContext = Pick<FaultContext, 'stage'> &
	Partial<Pick<FaultContext, 'from' | 'to' | 'user' | 'inboxIds'>> & {readonly helo?: string};

/** Goes on after a fault, with the reply that refuses the command if there is one. */
type Proceed = (refusal: Refusal | null) => void;

type SessionFaultsOptions = {
	readonly faults: SmtpFaults;
	readonly pacing: SessionPacing;
	readonly reports: RefusalReports;
	readonly log: Log;
};

type OwnSession = SMTPServerSession & {faults: SessionFaults};

/** Applies faults to one session, each at a command that would be accepted without it. */
export class SessionFaults {
	readonly #connection: SMTPConnection;
	readonly #options: SessionFaultsOptions;
	#breaksData = false;

	constructor(connection: SMTPConnection, options: SessionFaultsOptions) {
		this.#connection = connection;
		this.#options = options;
		(connection.session as OwnSession).faults = this;
	}

	/** Faults of the connection of a session. */
	static of(session: SMTPServerSession): SessionFaults {
		return (session as OwnSession).faults;
	}

	/** Evaluates the faults of a stage and calls `proceed` after their delay, unless one ends the connection. */
	evaluate(context: StageContext, proceed: Proceed): void {
		const {faults, log} = this.#options;
		const evaluating = faults.mayAct(context.stage, context.to) ? faults.evaluate(this.#contextOf(context)) : null;
		if (evaluating === null) {
			proceed(null);
			return;
		}

		evaluating.then(
			effect => this.apply(context.stage, effect, proceed),
			(error: unknown) => proceed(refusalOf(error, this.#connection.id, log)),
		);
	}

	/** Applies the effect of a fault, if there is one, and proceeds as `evaluate`. */
	apply(stage: FaultStage, effect: FaultEffect | null, proceed: Proceed): void {
		const {pacing, reports} = this.#options;
		if (this.#connection._closing || this.#connection._closed) {
			return;
		}

		if (!effect) {
			proceed(null);
			return;
		}

		const {reply, delayMs, byteDelayMs, drop} = effect;
		pacing.pause(delayMs, () => {
			const isStored = stage === 'end' && !reply && drop !== 'before';
			this.#breaksData = stage === 'data' && !reply && drop === 'mid';
			if (drop === 'before' || (drop === 'mid' && !reply && !isStored && !this.#breaksData)) {
				reports.dropped();
			}

			if (drop === 'before' || drop === 'after_commit') {
				pacing.breakOff();
				return;
			}

			pacing.styleNextReply({
				enhanced: reply?.enhanced,
				byteDelayMs,
				isCut: drop === 'mid' && !this.#breaksData,
			});
			proceed(reply && new Refusal(reply.code, reply.text));
		});
	}

	/** Breaks the connection off if a fault does so in the data of the mail. Returns true then. */
	breakData(): boolean {
		if (this.#breaksData) {
			this.#options.reports.dropped();
			this.#options.pacing.breakOff();
		}

		return this.#breaksData;
	}

	/** Wraps the handler of HELO or EHLO, which the library does not ask about. */
	onGreeting(handle: CommandHandler): CommandHandler {
		return (command, done) => {
			const [, helo = '', ...rest] = wordsOf(command);
			// The library refuses everything else as a syntax error.
			const isAccepted = helo !== '' && rest.length === 0 && /^[^\0-\x1f\x7f-\x9f]{1,300}$/.test(helo);
			this.#before(isAccepted && {stage: 'helo', helo}, done, () => handle(command, done));
		};
	}

	/** Wraps the handler of STARTTLS. */
	onStartTls(handle: CommandHandler): CommandHandler {
		return (command, done) => {
			const isAccepted = !this.#connection.secure && wordsOf(command).length === 1;
			this.#before(isAccepted && {stage: 'starttls'}, done, () => handle(command, done));
		};
	}

	/** Wraps the handler of DATA. */
	onData(handle: CommandHandler): CommandHandler {
		return (command, done) => {
			if (!this.#options.faults.mayAct('data')) {
				handle(command, done);
				return;
			}

			const to = this.#connection.session.envelope.rcptTo.map(({address}) => address);
			this.#before(to.length > 0 && {stage: 'data', to}, done, () => handle(command, done));
		};
	}

	#before(context: StageContext | false, done: () => void, accept: () => void): void {
		if (!context) {
			accept();
			return;
		}

		this.evaluate(context, refusal => {
			if (refusal) {
				this.#connection.send(refusal.responseCode, refusal.message);
				done();
			} else {
				accept();
			}
		});
	}

	#contextOf({stage, from, to = [], user, inboxIds, helo}: StageContext): FaultContext {
		const {remoteAddress: host, hostNameAppearsAs, session, id} = this.#connection;
		const login = userOf(session);
		const sender = session.envelope?.mailFrom;
		const own = login?.inboxId === undefined ? [] : [login.inboxId];
		return {
			stage,
			client: {host, helo: helo ?? (hostNameAppearsAs || null)},
			user: user ?? login?.user ?? null,
			inboxIds: inboxIds ?? (to.length > 0 ? this.#options.faults.inboxesOf(to, session.envelope) : own),
			ids: {session: id},
			from: from ?? (sender ? sender.address : null),
			to,
		};
	}
}

type Hooks = Required<Pick<SMTPServerOptions, 'onAuth' | 'onMailFrom' | 'onRcptTo'>>;

/** Wraps the hooks of the library: faults are evaluated for what they accept. */
export function withFaults({onAuth, onMailFrom, onRcptTo}: Hooks): Hooks {
	return {
		onAuth(auth, session, done) {
			onAuth(auth, session, (error, response) => {
				const login: SessionUser | undefined = response?.user;
				if (login) {
					const inboxIds = login.inboxId ? [login.inboxId] : [];
					const context = {stage: 'auth', user: login.user, inboxIds} as const;
					SessionFaults.of(session).evaluate(context, refusal => done(refusal, refusal ? undefined : response));
				} else {
					done(error, response);
				}
			});
		},
		onMailFrom(sender, session, done) {
			onMailFrom(sender, session, thenEvaluate(session, {stage: 'mail', from: sender.address}, done));
		},
		onRcptTo(recipient, session, done) {
			onRcptTo(recipient, session, thenEvaluate(session, {stage: 'rcpt', to: [recipient.address]}, done));
		},
	};
}

/** Evaluates faults unless the command was refused. */
function thenEvaluate(session: SMTPServerSession, context: StageContext, done: (error?: Error | null) => void) {
	return (error?: Error | null): void => {
		if (error) {
			done(error);
		} else {
			SessionFaults.of(session).evaluate(context, done);
		}
	};
}

function wordsOf(command: Buffer): readonly string[] {
	return command.toString().trim().split(/\s+/);
}
