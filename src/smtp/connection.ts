import type net from 'node:net';
import type {SMTPServer} from 'smtp-server';
import {SMTPConnection, type SMTPConnectionOptions} from 'smtp-server/lib/smtp-connection.js';
import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';
import type {Log} from '../lib/log.js';
import type {TurnBudget} from '../lib/queue/event-loop.js';
import type {NewRefusal} from '../services/refusals.js';
import {type CommandHandler, SessionAuth} from './authentication.js';
import {SessionFaults, type SmtpFaults} from './faults.js';
import {feedMailData} from './mail-data.js';
import {type Delays, SessionPacing} from './pacing.js';
import {farewells, RefusalReports} from './refusals.js';
import {enhancedCodes} from './reply.js';
import {readPath} from './session.js';
import {type SessionSafety, SessionTls, type SmtpTls} from './tls.js';

/** Bytes of a mail that count as progress of its session. */
const progressBytes = 1024;

export type ConnectionOptions = SMTPConnectionOptions & {
	/** Commands per turn of the event loop, in all sessions. */
	readonly commandBudget: TurnBudget;
	/** The same for handshakes. */
	readonly handshakeBudget: TurnBudget;
	readonly delays: Delays;
	readonly faults: SmtpFaults;
	/** Null without TLS. */
	readonly tls: SmtpTls | null;
	/** True if the connection begins with TLS. */
	readonly isImplicit: boolean;
	/** Reply that ends the connection at once. */
	readonly refusal: string | undefined;
	readonly log: Log;
	onRefused(report: NewRefusal): void;
	/** Called if a client certificate could not be verified. */
	onUnverified(connection: Connection, reason: string): void;
};

/** Step before a command is processed: it calls `next` at once, later, or not at all. */
type CommandHook = (command: Buffer, done: () => void, next: (done: () => void) => void) => void;

/**
 * One SMTP session. The only subclass of the library's connection: it delegates to parts for TLS, authentication, faults, pacing
 * and refusals. Emits `progress`, `closing` and `closed`.
 */
export class Connection extends SMTPConnection {
	readonly #options: ConnectionOptions;
	readonly #pacing: SessionPacing;
	readonly #reports: RefusalReports;
	readonly #faults: SessionFaults;
	readonly #tls: SessionTls;
	readonly #auth: SessionAuth;
	readonly #handlers: ReadonlyMap<string, CommandHandler>;
	/** Hooks that run before each command, in this order. */
	readonly #commandHooks: readonly CommandHook[] = [
		(command, done, next) => this.#awaitTurn(command, done, next),
		(command, done, next) => {
			this.#reports.commandBegins(command);
			next(done);
		},
		(_command, done, next) => this.#pacing.whenFree(() => next(done)),
		(command, done, next) => this.#auth.rejectsLine(command, done) || next(done),
		(command, done, next) => this.#requireTls(command, done, next),
	];
	/** Start of the session, or end of its latest mail, in milliseconds. */
	#startedAt = Date.now();
	#progressAt = Date.now();
	#answeredMails = 0;
	/** Progress of the current mail: accepted commands plus received KiB. */
	#steps = 0;
	/** True while a command waits for its turn. */
	#isQueued = false;

	constructor(server: SMTPServer, socket: net.Socket, options: ConnectionOptions) {
		super(server, socket, options);
		this.#options = options;
		const {delays, faults, log} = options;
		this.#pacing = new SessionPacing(this, delays, ms => this.#excuseDelay(ms));
		this.#reports = new RefusalReports(this, options.onRefused);
		this.#faults = new SessionFaults(this, {faults, pacing: this.#pacing, reports: this.#reports, log});
		this.#auth = new SessionAuth(this);
		this.#tls = new SessionTls(this, {
			...options,
			end: reply => this.end(reply, false),
			onFailure: (reason, servername) => this.#reports.handshakeFailed(reason, servername),
			onUnverified: reason => options.onUnverified(this, reason),
			onError: error => {
				this.#reports.endedUnused(this.#tls.servername, error);
				this._onError(error);
			},
		});
		const library = (name: string): CommandHandler => {
			const handler = super._getHandler(name);
			return (command, done) => handler?.call(this, command, done);
		};
		this.#handlers = new Map([
			['EHLO', this.#faults.onGreeting(this.#auth.onGreeting(library('EHLO')))],
			['HELO', this.#faults.onGreeting(library('HELO'))],
			['STARTTLS', this.#faults.onStartTls(library('STARTTLS'))],
			['AUTH', this.#auth.onAuth(library('AUTH'))],
			['DATA', this.#faults.onData(library('DATA'))],
		]);
	}

	get safety(): SessionSafety {
		return this.#tls.safety;
	}

	/** Time of the latest progress in milliseconds; 0 while closing. */
	get idleSince(): number {
		return this._closing ? 0 : this.#progressAt;
	}

	/** True if the server must act next: not while closing or delayed by a fault. */
	get isAwaitingServer(): boolean {
		return !this._closing && !this.#pacing.isDelayed && (this.#isQueued || this.#isProcessing);
	}

	/** Reports an error of the connection. */
	reportFailure(error: Error): void {
		this.#reports.failed(error);
	}

	/**
	 * Ends the session if no mail was answered for longer than `limitMs`, however active it is, or if its handshake takes longer
	 * than `handshakeMs`.
	 */
	endIfOverdue(now: number, limitMs: number, handshakeMs: number): void {
		if (!this.#pacing.isHeld) {
			this.#tls.endIfSlow(now, handshakeMs);
		}

		if (now - this.#startedAt > limitMs && !this.#isProcessing) {
			this.send(421, farewells.overdue);
		}
	}

	/** Ends the session unless it receives a mail or processes a command. */
	endIfIdle(): void {
		if (this._dataStream || this._handlerPending || this.#isQueued || this.#pacing.isHeld) {
			return;
		}

		this.send(421, farewells.stopping);
		if (this._upgrading) {
			this._socket.destroy();
		} else {
			this._socket.destroySoon();
		}
	}

	/** Ends the session at once with 421, which frees its file descriptor. */
	end(reason: string, context?: false): void {
		this.send(421, reason, context);
		this._socket.destroy();
	}

	/** Greets at once, without the 100 ms in which the library waits for clients that talk too early: they are served like others. */
	override init(): void {
		const {refusal} = this.#options;
		this.needsUpgrade &&= refusal === undefined;
		this._setListeners(() => {
			if (refusal === undefined) {
				this.#greet();
				this.#tls.rejectHandshake(() => this.#reports.handshakeBegins());
			} else {
				this.end(`${this.name} ${refusal}`, false);
			}
		});
	}

	override upgrade(callback: () => void, secureCallback: () => void = () => {}): void {
		this.#reports.handshakeBegins();
		this.#pacing.whenFree(() => {
			if (!this._closing) {
				this.#tls.upgrade(callback, () => {
					this.#restartProgress();
					secureCallback();
				});
			}
		});
	}

	/** Called by the constructor of the library, before the parts exist. */
	override _createParser(): SMTPStream {
		const parser = super._createParser();
		parser._feedDataStream = (chunk, done) => {
			if (!this.#faults.breakData()) {
				feedMailData.call(parser, chunk, done);
			}

			this.#noteProgress();
		};
		return parser;
	}

	override _onCommand(command: Buffer, done: () => void = () => {}): void {
		this.#runHooks(0, command, done);
	}

	override _getHandler(name: string): ReturnType<SMTPConnection['_getHandler']> {
		const isHidden = name === 'AUTH' && (this.#tls.isMissing || !this.#auth.isAnnounced);
		return isHidden ? undefined : (this.#handlers.get(name) ?? super._getHandler(name));
	}

	override _parseAddressCommand(
		name: string,
		command: Buffer | string,
	): ReturnType<SMTPConnection['_parseAddressCommand']> {
		const {parsed, address} = readPath(name, command.toString(), () => super._parseAddressCommand(name, command));
		this.#reports.addressParsed(address);
		return parsed;
	}

	override send(code: number, data?: string | string[] | null, context?: string | false): void {
		const isByFault = this.#pacing.hasStyle;
		this.#pacing.send(code, enhanced => {
			const status = enhanced ?? enhancedCodes.get(data);
			if (status === undefined) {
				// The library takes 452 for a full mailbox; here it is about the whole system (RFC 3463, section 3.4).
				super.send(code, data, code === 452 ? (context ?? 'SYSTEM_FULL') : context);
			} else {
				super.send(code, data ? `${status} ${data}` : status, false);
			}
		});
		this.#reports.replied(code, String(data), isByFault);
	}

	override close(): void {
		this.#pacing.close(() => {
			const isClosing = this._closing;
			super.close();
			if (!isClosing && this._closing) {
				this.emit('closing');
			}
		});
	}

	override _whenWritable(next: () => void): void {
		this.#pacing.whenFree(() => super._whenWritable(next));
	}

	override _onTimeout(): void {
		if (this.#pacing.isHeld) {
			this._armTimeout();
		} else {
			super._onTimeout();
		}
	}

	override _onClose(): void {
		if (!this._closing) {
			this.#reports.disconnected(this.#tls.servername);
		}

		this.#pacing.end();
		super._onClose();
		this.emit('closed');
	}

	/** Called by the library at the start, and when a mail was answered or given up. */
	override _resetSession(): void {
		super._resetSession();
		if (this.#answeredMails !== this._transactionCounter) {
			this.#answeredMails = this._transactionCounter;
			this.#startedAt = Date.now();
			this.#restartProgress();
		}
	}

	#greet(): void {
		this.#pacing.hold();
		this.#faults.evaluate({stage: 'connect'}, refusal => {
			if (refusal) {
				this._refuse(refusal);
			} else {
				this.connectionReady();
			}

			this.#pacing.release();
		});
	}

	#runHooks(index: number, command: Buffer, done: () => void): void {
		const hook = this.#commandHooks[index];
		if (hook) {
			hook(command, done, nextDone => this.#runHooks(index + 1, command, nextDone));
		} else {
			super._onCommand(command, done);
		}
	}

	/** Limits the commands that begin in one turn of the event loop. */
	#awaitTurn(_command: Buffer, done: () => void, next: (done: () => void) => void): void {
		const begin = () => {
			if (this._closing || this._closed) {
				done();
				return;
			}

			next(() => {
				this.#noteProgress();
				done();
			});
		};
		const {commandBudget} = this.#options;
		if (commandBudget.trySpend(1)) {
			begin();
			return;
		}

		this.#isQueued = true;
		commandBudget.add(() => {
			this.#isQueued = false;
			begin();
			return {cost: 1, hasMore: false};
		});
	}

	#requireTls(command: Buffer, done: () => void, next: (done: () => void) => void): void {
		if (this.#tls.allows(command)) {
			next(done);
		} else {
			this.send(530, 'Must issue a STARTTLS command first');
			this._whenWritable(done);
		}
	}

	/** Delays by faults do not count as time of the session. */
	#excuseDelay(ms: number): void {
		this.#startedAt = Math.min(this.#startedAt + ms, Date.now());
		this.#progressAt = Date.now();
		this.emit('progress');
	}

	#restartProgress(): void {
		this.#steps = -1;
		this.#noteProgress();
	}

	/** Notes when the session gets further with a mail than before. Commands such as NOOP and RSET are no progress. */
	#noteProgress(): void {
		const {mailFrom, rcptTo} = this.session.envelope;
		const bytes = this._dataStream && this._parser ? this._parser.dataBytes : 0;
		const begun =
			Number(Boolean(this.hostNameAppearsAs)) + Number(Boolean(mailFrom)) + Number(Boolean(this._dataStream));
		const steps = begun + rcptTo.length + Math.floor(bytes / progressBytes);
		if (steps > this.#steps) {
			this.#steps = steps;
			this.#progressAt = Date.now();
			this.emit('progress');
		}
	}

	/** True while a command is processed, a reply is delayed, or the client must wait until data was stored. */
	get #isProcessing(): boolean {
		const {_dataStream: data} = this;
		const isStoring = Boolean(data && (!this.#reports.isReceiving || data.writableNeedDrain));
		return this.#pacing.isHeld || this._handlerPending || isStoring;
	}
}
