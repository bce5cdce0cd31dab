import type net from 'node:net';
import {SMTPServer, type SMTPServerOptions} from 'smtp-server';
import {SMTPConnection, type SMTPConnectionOptions} from 'smtp-server/lib/smtp-connection.js';
import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';
import {readableAddress} from '../domain/address.js';
import {type Bound, beyondLimit} from '../domain/limits.js';
import {Pace} from '../lib/pace.js';
import type {PlacesPart} from '../lib/places.js';
import {feedMailData} from './mail-data.js';
import {tooManyRecipients} from './reply.js';

export type SessionLimits = {
	/** Open at the same time; further ones are told to come again, unless one that is silent can make room. */
	readonly connections: Bound;
	/** Where each of them takes a place. */
	readonly places: PlacesPart;
	/** How long a session must have been silent to make room. */
	readonly silentMs: number;
};

/** Commands that begin in one turn of the event loop, of all sessions: one can send thousands at the same moment. */
const maxPerTurn = 32;

/** The library's server over our connections. They may be many, so one look at all of them stands in for timers in each. */
export class Listener extends SMTPServer {
	declare connections: Set<GuardedConnection>;
	readonly #limits: SessionLimits;
	readonly #pace = new Pace(maxPerTurn);
	/** Those with a place: unlike in `connections`, also those that are being closed. */
	readonly #placed = new Set<GuardedConnection>();

	constructor(options: SMTPServerOptions, limits: SessionLimits) {
		super(options);
		this.#limits = limits;
	}

	/** As in the library, which names its own class here. */
	override connect(socket: net.Socket, options: SMTPConnectionOptions): void {
		const {places, connections} = this.#limits;
		const isPlaced = places.take() || (this.#endSilent() && places.take());
		const refusal = beyondLimit(
			`At most ${connections.max} SMTP connections are taken.`,
			'Try again later',
			connections,
		);
		const told = isPlaced ? undefined : refusal.message;
		const connection = new GuardedConnection(this, socket, options, this.#pace, told);
		if (isPlaced) {
			this.#placed.add(connection);
			socket.once('close', () => this.#forget(connection));
		}

		this.connections.add(connection);
		connection.on('error', error => this._onError(error));
		connection.init();
	}

	endOverdue(limitMs: number): void {
		const now = Date.now();
		for (const connection of this.connections) {
			connection.endIfOverdue(now, limitMs);
		}
	}

	endIdle(): void {
		for (const connection of this.connections) {
			connection.endIfIdle();
		}
	}

	/** Ends the session that has been silent longest, if that is long enough. */
	#endSilent(): boolean {
		let [longest, since]: [GuardedConnection | undefined, number] = [undefined, Date.now() - this.#limits.silentMs];
		for (const connection of this.#placed) {
			if (connection.silentSince <= since) {
				[longest, since] = [connection, connection.silentSince];
			}
		}

		longest?.end('Room is needed for others');
		return longest !== undefined && this.#forget(longest);
	}

	#forget(connection: GuardedConnection): boolean {
		const isGone = this.#placed.delete(connection);
		if (isGone) {
			this.#limits.places.giveBack();
		}

		return isGone;
	}
}

/** A connection of the library, greeted at once, that can be overdue and can be dismissed. */
class GuardedConnection extends SMTPConnection {
	readonly #pace: Pace;
	readonly #refusal: string | undefined;
	/** When the session began, or when it was first seen to have had another mail answered. */
	#since = Date.now();
	#answered = 0;
	#heardAt = Date.now();
	/** A command was heard and has not begun. */
	#isInQueue = false;

	/** Its commands keep the pace. With a refusal, that is all it is told. */
	constructor(server: SMTPServer, socket: net.Socket, options: SMTPConnectionOptions, pace: Pace, refusal?: string) {
		super(server, socket, options);
		this.#pace = pace;
		this.#refusal = refusal;
	}

	/** Since when nothing was asked of the server, and nothing is under way; always, once it is being closed. */
	get silentSince(): number {
		if (this._closing) {
			return 0;
		}

		return this.#isIdle ? this.#heardAt : Number.POSITIVE_INFINITY;
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
		parser._feedDataStream = feedMailData;
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
			return false;
		}

		const at = parsed.address.lastIndexOf('@');
		const [, domain = ''] = /@([^@<>]*)>/.exec(command.toString()) ?? [];
		return at >= 0 ? {...parsed, address: readableAddress(`${parsed.address.slice(0, at)}@${domain}`)} : parsed;
	}

	override _onCommand(command: Buffer, callback?: () => void): void {
		this.#heardAt = Date.now();
		this.#isInQueue = true;
		this.#pace.add(() => {
			this.#isInQueue = false;
			if (this._closing || this._closed) {
				callback?.();
			} else {
				super._onCommand(command, callback);
			}

			return {cost: 1, hasMore: false};
		});
	}

	/** The library sends the refusals of recipients without a context. */
	override send(code: number, data?: string | string[] | null, context?: string | false): void {
		super.send(code, data, data === tooManyRecipients.message ? 'TOO_MANY_RECIPIENTS' : context);
	}

	/** 452 without a context is sent for what is about the system as a whole (RFC 3463, section 3.4). */
	override _getEnhancedStatusCode(code: number, context?: string | false): string {
		return super._getEnhancedStatusCode(code, code === 452 ? (context ?? 'SYSTEM_FULL') : context);
	}

	/** Ends the session if it had no mail answered for longer than `limitMs`, however busy it looks. */
	endIfOverdue(now: number, limitMs: number): void {
		if (this.#answered !== this._transactionCounter) {
			this.#answered = this._transactionCounter;
			this.#since = now;
		}

		if (now - this.#since > limitMs && !this.#waitsForUs()) {
			this.send(421, 'The session took too long');
		}
	}

	/** Ends the session unless a mail or a command is under way. */
	endIfIdle(): void {
		if (this.#isIdle) {
			this.send(421, 'Server shutting down');
			this._socket.destroySoon();
		}
	}

	/** Ends the session at once, with 421: its file is free for another one. */
	end(reason: string, context?: false): void {
		this.send(421, reason, context);
		this._socket.destroy();
	}

	get #isIdle(): boolean {
		return !this._dataStream && !this._handlerPending && !this.#isInQueue;
	}

	#waitsForUs(): boolean {
		const isReceiving = this._parser !== false && this._parser._dataMode;
		return this._handlerPending || Boolean(this._dataStream && !isReceiving);
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
