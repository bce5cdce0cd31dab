import {once} from 'node:events';
import net from 'node:net';
import {SMTPServer} from 'smtp-server';
import {type Bound, beyondLimit} from '../domain/errors.js';
import type {HostPort} from '../lib/io/hosts.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {TurnBudget} from '../lib/queue/event-loop.js';
import type {SlotShare} from '../lib/queue/slots.js';
import {Connection} from './connection.js';
import {Delays} from './pacing.js';
import {createProtocol, type ProtocolOptions, type SmtpServices} from './protocol.js';
import {farewells} from './refusals.js';
import type {SessionSafety} from './tls.js';

export type SmtpServerOptions = ProtocolOptions & {
	readonly host: string;
	/** 0 is any free port. */
	readonly port: number;
	readonly limits: SessionLimits;
	/** Time for one mail, from the connect or the previous mail to the reply, in milliseconds. */
	readonly sessionDeadlineMs: number;
	/** Time for a TLS handshake, in milliseconds. */
	readonly handshakeDeadlineMs: number;
};

/** Interval in which sessions are checked while the server stops, in milliseconds. */
const stopCheckMs = 20;

export type SessionLimits = {
	/** Maximum number of open connections. Further ones are rejected, unless an idle one can be closed for them. */
	readonly connections: Bound;
	/** Share of file descriptors; each connection takes one. */
	readonly slots: SlotShare;
	/** Time without progress after which a session may be closed for a new one, in milliseconds. */
	readonly evictAfterMs: number;
};

/** Number of open sessions, and of ended ones since the start. */
type SessionCounts = Readonly<Record<SessionSafety, {readonly open: number; readonly ended: number}>>;

/** Maximum number of commands that begin in one turn of the event loop, of all sessions. One can send thousands at once. */
const maxCommandsPerTurn = 32;

/** Maximum number of handshakes per turn. Each of them has to sign. */
const maxHandshakesPerTurn = 4;

/** Pause between log lines about invalid client certificates, with which one client could fill the log. */
const unverifiedEveryMs = 1000;

/**
 * SMTP server: accepts connections, with and without implicit TLS, and limits their number. A mail is answered with 250 after the
 * services stored it. There may be thousands of sessions, so one timer checks them all.
 */
export class SmtpServer implements Part {
	readonly name = 'SMTP';
	readonly #options: SmtpServerOptions;
	readonly #services: SmtpServices;
	readonly #log: Log;
	/** Protocol engine of the library; its own listener is not used. */
	readonly #engine: SMTPServer;
	readonly #plain = net.createServer(socket => this.#accept(socket, false));
	readonly #secure = net.createServer(socket => this.#accept(socket, true));
	readonly #budgets = {
		commandBudget: new TurnBudget(maxCommandsPerTurn),
		handshakeBudget: new TurnBudget(maxHandshakesPerTurn),
	};
	readonly #delays = new Delays();
	/** Admitted connections by client address, longest idle first. */
	readonly #admitted = new Map<string, Set<Connection>>();
	/** Admitted connections that are being closed. */
	readonly #closing = new Set<Connection>();
	#unverifiedAt = 0;
	readonly #ended = {none: 0, starttls: 0, implicit: 0};
	#timer: NodeJS.Timeout | undefined;

	constructor(options: SmtpServerOptions, services: SmtpServices, log: Log) {
		this.#options = options;
		this.#services = services;
		this.#log = log;
		this.#engine = new SMTPServer(createProtocol(options, services, log));
		for (const server of [this.#plain, this.#secure]) {
			// Without a listener, a connection that cannot be accepted would end the process.
			server.on('error', error => log.warn({err: error}, 'SMTP listener could not accept a connection'));
		}
	}

	/** Open connections. */
	get connections(): ReadonlySet<Connection> {
		return this.#engine.connections as ReadonlySet<unknown> as ReadonlySet<Connection>;
	}

	/** Address of the plain listener; undefined while it accepts no connections. */
	get address(): HostPort | undefined {
		return addressOf(this.#plain);
	}

	/** Address of the listener with implicit TLS; undefined if there is none. */
	get secureAddress(): HostPort | undefined {
		return addressOf(this.#secure);
	}

	async start(): Promise<void> {
		const {host, port, tls, sessionDeadlineMs, handshakeDeadlineMs} = this.#options;
		await listen(this.#plain, host, port);
		if (tls) {
			await listen(this.#secure, host, tls.port).catch(error => {
				this.#plain.close();
				throw error;
			});
		}

		const intervalMs = Math.min(1000, sessionDeadlineMs / 4, handshakeDeadlineMs / 4);
		this.#timer = setInterval(() => this.#endOverdue(), intervalMs).unref();
	}

	/** Accepts no new connections, ends delays and idle sessions, and waits until the mail of the others was answered. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		const closed = [this.#plain, this.#secure].map(server => new Promise(resolve => server.close(resolve)));
		this.#engine.close();
		const deadline = setTimeout(() => this.#endAll(), this.#options.stopDeadlineMs);
		this.#delays.endAll();
		this.#endIdle();
		// The others become idle one by one, as their mail is answered.
		this.#timer = setInterval(() => this.#endIdle(), stopCheckMs);
		await Promise.all(closed);
		clearTimeout(deadline);
		clearInterval(this.#timer);
	}

	/** Counts sessions. Connections that were rejected as too many do not count. */
	sessionCounts(): SessionCounts {
		const open = {none: 0, starttls: 0, implicit: 0};
		for (const {safety} of this.connections) {
			open[safety]++;
		}

		const countsOf = (safety: SessionSafety) => ({open: open[safety], ended: this.#ended[safety]});
		return {none: countsOf('none'), starttls: countsOf('starttls'), implicit: countsOf('implicit')};
	}

	#endOverdue(): void {
		const {sessionDeadlineMs, handshakeDeadlineMs} = this.#options;
		const now = Date.now();
		for (const connection of this.connections) {
			connection.endIfOverdue(now, sessionDeadlineMs, handshakeDeadlineMs);
		}
	}

	#endIdle(): void {
		for (const connection of this.connections) {
			connection.endIfIdle();
		}
	}

	#endAll(): void {
		for (const connection of this.connections) {
			connection.end(farewells.stopping);
		}
	}

	#accept(socket: net.Socket, isImplicit: boolean): void {
		const {tls, limits} = this.#options;
		const {slots, connections} = limits;
		const isAdmitted = slots.tryAcquire() || (this.#evict(socket.remoteAddress) && slots.tryAcquire());
		const limitError = isAdmitted
			? undefined
			: beyondLimit(`At most ${connections.max} SMTP connections are allowed.`, 'Try again later', connections);
		const connection = new Connection(this.#engine, socket, {
			...this.#budgets,
			tls,
			faults: this.#services.faults,
			log: this.#log,
			onRefused: report => this.#services.refused(report),
			delays: this.#delays,
			isImplicit,
			refusal: limitError?.message,
			onUnverified: ({id, remoteAddress}, reason) => this.#logUnverified(id, remoteAddress, reason),
		});
		if (isAdmitted) {
			this.#append(connection);
			connection.on('progress', () => this.#remove(connection) && this.#append(connection));
			connection.once('closing', () => this.#remove(connection) && this.#closing.add(connection));
			connection.once('closed', () => {
				this.#release(connection);
				this.#ended[connection.safety]++;
			});
		}

		this.#engine.connections.add(connection);
		connection.on('error', error => connection.reportFailure(error));
		connection.init();
	}

	/**
	 * Ends the longest idle connection of the address with the most connections, whatever signs of life it shows. No address
	 * loses a connection to one that has more.
	 */
	#evict(newcomer = ''): boolean {
		const own = this.#admitted.get(newcomer)?.size ?? 0;
		const addresses = [...this.#admitted].filter(([address, {size}]) => address === newcomer || size > own);
		const byMost = addresses.map(([, connections]) => connections).sort((a, b) => b.size - a.size);
		const before = Date.now() - this.#options.limits.evictAfterMs;
		for (const connections of [this.#closing, ...byMost]) {
			const connection = findIdle(connections, before);
			if (connection) {
				connection.end('Idle connection closed to make room for other clients');
				this.#release(connection);
				return true;
			}
		}

		return false;
	}

	#logUnverified(session: string, host: string, reason: string): void {
		const now = Date.now();
		// The clock can be set back.
		if (Math.abs(now - this.#unverifiedAt) >= unverifiedEveryMs) {
			this.#unverifiedAt = now;
			this.#log.info({session, host, reason}, 'Client certificate could not be verified');
		}
	}

	#append(connection: Connection): void {
		const connections = this.#admitted.get(connection.remoteAddress) ?? new Set();
		this.#admitted.set(connection.remoteAddress, connections.add(connection));
	}

	#remove(connection: Connection): boolean {
		const connections = this.#admitted.get(connection.remoteAddress);
		const isRemoved = connections?.delete(connection) ?? false;
		if (connections?.size === 0) {
			this.#admitted.delete(connection.remoteAddress);
		}

		return isRemoved;
	}

	#release(connection: Connection): void {
		if (this.#remove(connection) || this.#closing.delete(connection)) {
			this.#options.limits.slots.release();
		}
	}
}

async function listen(server: net.Server, host: string, port: number): Promise<void> {
	await once(server.listen({host, port, backlog: 4096}), 'listening');
}

function addressOf(server: net.Server): HostPort | undefined {
	const bound = server.address() as net.AddressInfo | null;
	return bound ? {host: bound.address, port: bound.port} : undefined;
}

/** The first connection without progress since `before` that does not wait for the server. */
function findIdle(connections: Iterable<Connection>, before: number): Connection | undefined {
	for (const connection of connections) {
		if (connection.idleSince > before) {
			break;
		}

		if (!connection.isAwaitingServer) {
			return connection;
		}
	}

	return undefined;
}
