import type net from 'node:net';
import type {SMTPServer} from 'smtp-server';
import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';
import type {Pace} from '../lib/queue/event-loop.js';
import type {FaultyConnectionOptions} from './faulty-connection.js';
import {farewells} from './refused.js';
import {TellingConnection} from './telling-connection.js';

/** Bytes of a mail with which a session has got further. */
const stepBytes = 1024;

/**
 * A connection of the library, greeted at once, that can be overdue and can be dismissed. It emits `further` when it has
 * got further with a mail than before, or to the next one (what leads nowhere, as `NOOP` and `RSET`, does not count),
 * `closing` when it begins to be closed, and `closed`.
 */
export class GuardedConnection extends TellingConnection {
	readonly #pace: Pace;
	readonly #refusal: string | undefined;
	/** When the session began, or had its last mail answered. */
	#since = Date.now();
	#answered = 0;
	/** The most that was done for the mail that is next to be answered. */
	#steps = 0;
	#furtherAt = Date.now();
	/** A command was heard and has not begun. */
	#isInQueue = false;

	/** Its commands keep the pace. With a refusal, that is all it is told. */
	constructor(server: SMTPServer, socket: net.Socket, options: FaultyConnectionOptions, refusal?: string) {
		super(server, socket, options);
		this.#pace = options.pace;
		this.#refusal = refusal;
	}

	/** When it last got further; always, once it is being closed. */
	get stillSince(): number {
		return this._closing ? 0 : this.#furtherAt;
	}

	/** Whether it is for the server to go on; never, once it is being closed, and as long as a fault delays it. */
	get waitsForUs(): boolean {
		return !this._closing && !this.isDelayed && (this.#isInQueue || this.#isServed);
	}

	/**
	 * As in the library, but without the 100 ms in which it waits for clients that talk too early: here they are
	 * answered like all others. Without a reverse lookup `connectionReady` greets before any input is read.
	 */
	override init(): void {
		// Hands are shaken with those alone that can stay.
		this.needsUpgrade &&= this.#refusal === undefined;
		this._setListeners(() => {
			if (this.#refusal === undefined) {
				this.connectionReady();
				this.expectNoHandshake();
			} else {
				this.end(`${this.name} ${this.#refusal}`, false);
			}
		});
	}

	override upgrade(callback: () => void, secureCallback?: () => void): void {
		super.upgrade(callback, () => {
			this.#steps = -1;
			this.#noteProgress();
			secureCallback?.();
		});
	}

	override _createParser(): SMTPStream {
		const parser = super._createParser();
		const feed = parser._feedDataStream;
		parser._feedDataStream = (chunk, done) => {
			feed(chunk, done);
			this.#noteProgress();
		};
		return parser;
	}

	override _onCommand(command: Buffer, callback?: () => void): void {
		// A command that need not wait needs no work of its own, either.
		if (this.#pace.spend(1)) {
			this.#begin(command, callback);
			return;
		}

		this.#isInQueue = true;
		this.#pace.add(() => {
			this.#isInQueue = false;
			this.#begin(command, callback);
			return {cost: 1, hasMore: false};
		});
	}

	/** Called by the library at the beginning, and for each mail that was answered or given up. */
	override _resetSession(): void {
		super._resetSession();
		if (this.#answered !== this._transactionCounter) {
			this.#answered = this._transactionCounter;
			this.#since = Date.now();
			this.#steps = -1;
			this.#noteProgress();
		}
	}

	override _onClose(): void {
		super._onClose();
		this.emit('closed');
	}

	override close(): void {
		const isClosing = this._closing;
		super.close();
		if (!isClosing && this._closing) {
			this.emit('closing');
		}
	}

	/** That does not count. */
	override noteDelay(ms: number): void {
		this.#since = Math.min(this.#since + ms, Date.now());
		this.#furtherAt = Date.now();
		this.emit('further');
	}

	/**
	 * Ends the session if it had no mail answered for longer than `limitMs`, however busy it looks, or if its handshake takes
	 * longer than `handshakeMs`.
	 */
	endIfOverdue(now: number, limitMs: number, handshakeMs: number): void {
		if (!this.isHeld) {
			this.endSlowHandshake(now, handshakeMs);
		}

		if (now - this.#since > limitMs && !this.#isServed) {
			this.send(421, farewells.overdue);
		}
	}

	/** Ends the session unless a mail or a command is under way. */
	endIfIdle(): void {
		if (this.#isIdle) {
			this.send(421, farewells.stopping);
			if (this._upgrading) {
				this._socket.destroy();
			} else {
				this._socket.destroySoon();
			}
		}
	}

	/** Ends the session at once, with 421: its file is free for another one. */
	end(reason: string, context?: false): void {
		this.send(421, reason, context);
		this._socket.destroy();
	}

	#begin(command: Buffer, callback?: () => void): void {
		if (this._closing || this._closed) {
			callback?.();
			return;
		}

		super._onCommand(command, () => {
			this.#noteProgress();
			callback?.();
		});
	}

	#noteProgress(): void {
		const {mailFrom, rcptTo} = this.session.envelope;
		const bytes = this._dataStream && this._parser ? this._parser.dataBytes : 0;
		const begun =
			Number(Boolean(this.hostNameAppearsAs)) + Number(Boolean(mailFrom)) + Number(Boolean(this._dataStream));
		const steps = begun + rcptTo.length + Math.floor(bytes / stepBytes);
		if (steps > this.#steps) {
			this.#steps = steps;
			this.#furtherAt = Date.now();
			this.emit('further');
		}
	}

	get #isIdle(): boolean {
		return !this._dataStream && !this._handlerPending && !this.#isInQueue && !this.isHeld;
	}

	/** A command or a mail is being worked at, or what came of a mail is more than is taken at the moment. */
	get #isServed(): boolean {
		const {_dataStream: data} = this;
		return this.isHeld || this._handlerPending || Boolean(data && (!this.isReceiving || data.writableNeedDrain));
	}
}
