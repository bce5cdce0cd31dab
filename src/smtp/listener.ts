import type net from 'node:net';
import {SMTPServer} from 'smtp-server';
import {SMTPConnection, type SMTPConnectionOptions} from 'smtp-server/lib/smtp-connection.js';
import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';
import {readableAddress} from '../domain/address.js';
import {feedMailData} from './mail-data.js';

/** The library's server over our connections. They may be many, so one look at all of them stands in for timers in each. */
export class Listener extends SMTPServer {
	declare connections: Set<GuardedConnection>;

	/** As in the library, which names its own class here. */
	override connect(socket: net.Socket, options: SMTPConnectionOptions): void {
		const connection = new GuardedConnection(this, socket, options);
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
}

/** A connection of the library, greeted at once, that can be overdue and can be dismissed. */
class GuardedConnection extends SMTPConnection {
	/** When the session began, or when it was first seen to have had another mail answered. */
	#since = Date.now();
	#answered = 0;

	/**
	 * As in the library, but without the 100 ms in which it waits for clients that talk too early: here they are
	 * answered like all others. Without a reverse lookup `connectionReady` greets before any input is read.
	 */
	override init(): void {
		this._setListeners(() => {
			const {connections, options} = this._server;
			if (connections.size > (options.maxClients ?? Number.POSITIVE_INFINITY)) {
				this.send(421, `${this.name} Too many connections, try again later`, false);
			} else {
				this.connectionReady();
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
	 * (`xn--shop-.test`) becomes the domain of somebody else.
	 */
	override _parseAddressCommand(
		name: string,
		command: Buffer | string,
	): ReturnType<SMTPConnection['_parseAddressCommand']> {
		const parsed = super._parseAddressCommand(name, command);
		const at = parsed ? parsed.address.lastIndexOf('@') : -1;
		const [, domain = ''] = /@([^@<>]*)>/.exec(command.toString()) ?? [];
		return parsed && at >= 0
			? {...parsed, address: readableAddress(`${parsed.address.slice(0, at)}@${domain}`)}
			: parsed;
	}

	/** 452 without a context is sent for `storage_full` alone, which is about the system (RFC 3463, section 3.4). */
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
		if (!this._dataStream && !this._handlerPending) {
			this.send(421, 'Server shutting down');
			this._socket.destroySoon();
		}
	}

	#waitsForUs(): boolean {
		const isReceiving = this._parser !== false && this._parser._dataMode;
		return this._handlerPending || Boolean(this._dataStream && !isReceiving);
	}
}
