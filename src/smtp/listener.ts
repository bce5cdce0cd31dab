import type net from 'node:net';
import {SMTPServer, type SMTPServerOptions} from 'smtp-server';
import type {SMTPConnectionOptions} from 'smtp-server/lib/smtp-connection.js';
import {Connection} from './connection.js';

/** The library's server over our sessions. They may be many, so one look at all of them stands in for timers in each. */
export class Listener extends SMTPServer {
	declare connections: Set<Connection>;
	readonly #maxConnections: number;

	constructor(options: SMTPServerOptions, maxConnections: number) {
		super(options);
		this.#maxConnections = maxConnections;
	}

	/** As in the library, which names its own class here. */
	override connect(socket: net.Socket, options: SMTPConnectionOptions): void {
		const connection = new Connection(this, socket, options, this.#maxConnections);
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
