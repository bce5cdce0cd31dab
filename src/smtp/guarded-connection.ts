import type net from 'node:net';
import type {SMTPServer} from 'smtp-server';
import {SMTPConnection, type SMTPConnectionOptions} from 'smtp-server/lib/smtp-connection.js';
import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';
import type {RefusalStage} from '../contract/refusals.js';
import {readableAddress} from '../domain/address.js';
import type {Pace} from '../lib/pace.js';
import type {Refused} from '../services/refusals/refusals.js';
import {feedMailData} from './mail-data.js';
import {addressIn, farewells, refuses, stageOf} from './refused.js';
import {tooManyRecipients} from './reply.js';

/** Bytes of a mail with which a session has got further. */
const stepBytes = 1024;

/**
 * A connection of the library, greeted at once, that can be overdue and can be dismissed. It emits `further` when it has
 * got further with a mail than before, or to the next one (what leads nowhere, as `NOOP` and `RSET`, does not count),
 * `refused` with what it refuses, and `closing` when it begins to be closed.
 */
export class GuardedConnection extends SMTPConnection {
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
	/** Of the last command that began. */
	#stage: RefusalStage = 'connect';
	/** The address that it names, as far as it can be read. */
	#address: string | null = null;

	/** Its commands keep the pace. With a refusal, that is all it is told. */
	constructor(server: SMTPServer, socket: net.Socket, options: SMTPConnectionOptions, pace: Pace, refusal?: string) {
		super(server, socket, options);
		this.#pace = pace;
		this.#refusal = refusal;
	}

	/** When it last got further; always, once it is being closed. */
	get stillSince(): number {
		return this._closing ? 0 : this.#furtherAt;
	}

	/** Whether it is for the server to go on; never, once it is being closed. */
	get waitsForUs(): boolean {
		return !this._closing && (this.#isInQueue || this.#isServed);
	}

	/**
	 * As in the library, but without the 100 ms in which it waits for clients that talk too early: here they are
	 * answered like all others. Without a reverse lookup `connectionReady` greets before any input is read.
	 */
	override init(): void {
		this._setListeners(() => {
			if (this.#refusal === undefined) {
				this.connectionReady();
			} else {
				this.end(`${this.name} ${this.#refusal}`, false);
			}
		});
	}

	override _createParser(): SMTPStream {
		const parser = super._createParser();
		parser._feedDataStream = (chunk, done) => {
			feedMailData.call(parser, chunk, done);
			this.#noteProgress();
		};
		return parser;
	}

	/**
	 * With the domain as the client spells it, readable. The library decodes all that begins like punycode: what is none
	 * (`xn--shop-.test`) becomes the domain of somebody else. It also ends the address at the first blank, quoted or not.
	 */
	override _parseAddressCommand(
		name: string,
		command: Buffer | string,
	): ReturnType<SMTPConnection['_parseAddressCommand']> {
		const parsed = super._parseAddressCommand(name, command);
		if (!parsed || !isParameters(parsed.args) || !closesQuotes(parsed.address)) {
			this.#address = addressIn(command);
			return false;
		}

		const at = parsed.address.lastIndexOf('@');
		const [, domain = ''] = /@([^@<>]*)>/.exec(command.toString()) ?? [];
		const address = at >= 0 ? readableAddress(`${parsed.address.slice(0, at)}@${domain}`) : parsed.address;
		this.#address = address;
		return {...parsed, address};
	}

	override _onCommand(command: Buffer, callback?: () => void): void {
		this.#isInQueue = true;
		this.#pace.add(() => {
			this.#isInQueue = false;
			if (this._closing || this._closed) {
				callback?.();
			} else {
				this.#noteStage(command);
				super._onCommand(command, () => {
					this.#noteProgress();
					callback?.();
				});
			}

			return {cost: 1, hasMore: false};
		});
	}

	/** The library sends the refusals of recipients without a context. */
	override send(code: number, data?: string | string[] | null, context?: string | false): void {
		super.send(code, data, data === tooManyRecipients.message ? 'TOO_MANY_RECIPIENTS' : context);
		if (code >= 400 && refuses(this.#stage, Boolean(this.session.envelope?.mailFrom), code, String(data))) {
			this.#noteRefusal(this.session.error ?? null, String(data));
		}
	}

	/** A connection that failed. */
	noteFailure(error: Error): void {
		if (!this.#isReceiving) {
			this.#noteRefusal(null, `the connection failed: ${error.message}`);
		}
	}

	override _onClose(): void {
		if (this.#isReceiving && !this._closing) {
			this.#noteRefusal(null, 'the client left before the end of its mail');
		}

		super._onClose();
	}

	/** 452 without a context is sent for what is about the system as a whole (RFC 3463, section 3.4). */
	override _getEnhancedStatusCode(code: number, context?: string | false): string {
		return super._getEnhancedStatusCode(code, code === 452 ? (context ?? 'SYSTEM_FULL') : context);
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

	override close(): void {
		const isClosing = this._closing;
		super.close();
		if (!isClosing) {
			this.emit('closing');
		}
	}

	/** Ends the session if it had no mail answered for longer than `limitMs`, however busy it looks. */
	endIfOverdue(now: number, limitMs: number): void {
		if (now - this.#since > limitMs && !this.#isServed) {
			this.send(421, farewells.overdue);
		}
	}

	/** Ends the session unless a mail or a command is under way. */
	endIfIdle(): void {
		if (this.#isIdle) {
			this.send(421, farewells.stopping);
			this._socket.destroySoon();
		}
	}

	/** Ends the session at once, with 421: its file is free for another one. */
	end(reason: string, context?: false): void {
		this.send(421, reason, context);
		this._socket.destroy();
	}

	#noteStage(command: Buffer): void {
		// What follows AUTH is a secret.
		if (!this._nextHandler) {
			this.#stage = stageOf(command);
			this.#address = null;
		}
	}

	#noteRefusal(reply: string | null, text: string): void {
		const {remoteAddress: host, hostNameAppearsAs: helo} = this;
		const recipients = this.session.envelope?.rcptTo.map(({address}) => address) ?? [];
		const addresses = this.#stage === 'data' && recipients.length > 0 ? recipients : [this.#address];
		const heading = [`${this.name} `, 'Error: ', `<${this.#address}>: `].find(start => text.startsWith(start)) ?? '';
		const reason = text.slice(heading.length);
		const refused: Refused = {client: {host, helo: helo || null}, stage: this.#stage, addresses, reply, reason};
		this.emit('refused', refused);
	}

	#noteProgress(): void {
		const {mailFrom, rcptTo} = this.session.envelope;
		const bytes = this._dataStream && this._parser ? this._parser.dataBytes : 0;
		const begun = [this.hostNameAppearsAs, mailFrom, this._dataStream].filter(Boolean);
		const steps = begun.length + rcptTo.length + Math.floor(bytes / stepBytes);
		if (steps > this.#steps) {
			this.#steps = steps;
			this.#furtherAt = Date.now();
			this.emit('further');
		}
	}

	get #isIdle(): boolean {
		return !this._dataStream && !this._handlerPending && !this.#isInQueue;
	}

	/** A command or a mail is being worked at, or what came of a mail is more than is taken at the moment. */
	get #isServed(): boolean {
		const {_dataStream: data} = this;
		return this._handlerPending || Boolean(data && (!this.#isReceiving || data.writableNeedDrain));
	}

	/** A mail is coming. */
	get #isReceiving(): boolean {
		return this._parser !== false && this._parser._dataMode;
	}
}

/** Whether what follows the address can be that (RFC 5321, section 4.1.2, `esmtp-keyword`), and not more of an address. */
function isParameters(args: object | false): boolean {
	return Object.keys(args || {}).every(keyword => /^[a-z\d][a-z\d-]*$/i.test(keyword));
}

/** Whether each quoted string in the address (RFC 5321, section 4.1.2) ends in it. */
function closesQuotes(address: string): boolean {
	return /^(?:"(?:[^"\\]|\\.)*"|[^"])*$/.test(address);
}
