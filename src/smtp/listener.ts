import net from 'node:net';
import {SMTPServer, type SMTPServerOptions} from 'smtp-server';
import type {SMTPConnectionOptions} from 'smtp-server/lib/smtp-connection.js';
import {type Bound, beyondLimit} from '../domain/errors.js';
import type {Log} from '../lib/log.js';
import {Pace} from '../lib/queue/event-loop.js';
import type {PlacesPart} from '../lib/queue/slots.js';
import type {NewRefusal} from '../services/refusals.js';
import {Delays} from './delays.js';
import type {SmtpFaults} from './faulty-connection.js';
import {GuardedConnection} from './guarded-connection.js';
import {farewells} from './refused.js';
import type {SessionSafety, SmtpTls} from './tls-connection.js';

export type SessionLimits = {
	/** Open at the same time; further ones are told to come again, unless one that is still can make room. */
	readonly connections: Bound;
	/** Where each of them takes a place. */
	readonly places: PlacesPart;
	/** How long a session must have got no further to make room. */
	readonly stillMs: number;
};

/** Sessions: those that there are, and how many there were before. */
export type SessionCounts = Readonly<Record<SessionSafety, {readonly open: number; readonly ended: number}>>;

export type ListenerTerms = {
	readonly tls: SmtpTls | null;
	readonly faults: SmtpFaults;
	readonly log: Log;
	/** Is told of all that is refused. */
	onRefused(refused: NewRefusal): void;
};

/** Commands that begin in one turn of the event loop, of all sessions: one can send thousands at the same moment. */
const maxPerTurn = 32;

/** Handshakes that do, each of which has to sign. */
const maxHandshakesPerTurn = 4;

/** How often the log tells of a client certificate that does not count: whoever has one could fill it. */
const unverifiedEveryMs = 1000;

/** The library's server over our connections. They may be many, so one look at all of them stands in for timers in each. */
export class Listener extends SMTPServer {
	declare connections: Set<GuardedConnection>;
	readonly #limits: SessionLimits;
	readonly #terms: ListenerTerms;
	readonly #paces = {pace: new Pace(maxPerTurn), handshakePace: new Pace(maxHandshakesPerTurn)};
	readonly #delays = new Delays();
	/** Those with a place, by client address; of each address the one that has got no further for longest comes first. */
	readonly #placed = new Map<string, Set<GuardedConnection>>();
	/** Those that are being closed, and have a place until they are. */
	readonly #closing = new Set<GuardedConnection>();
	#unverifiedAt = 0;
	readonly #ended = {none: 0, starttls: 0, implicit: 0};
	/** Takes connections that begin with TLS; its sessions are like all others. */
	readonly secureServer = net.createServer(socket => this.connect(socket, {}, true));

	constructor(options: SMTPServerOptions, limits: SessionLimits, terms: ListenerTerms) {
		super(options);
		this.#limits = limits;
		this.#terms = terms;
		this.secureServer.on('error', error => this.emit('error', error));
	}

	/** As in the library, which names its own class here. */
	override connect(socket: net.Socket, options: SMTPConnectionOptions, isImplicit = false): void {
		const {places, connections} = this.#limits;
		const isPlaced = places.take() || (this.#makeRoom(socket.remoteAddress) && places.take());
		const refusal = beyondLimit(
			`At most ${connections.max} SMTP connections are allowed.`,
			'Try again later',
			connections,
		);
		const told = isPlaced ? undefined : refusal.message;
		const connection = new GuardedConnection(
			this,
			socket,
			{...options, ...this.#terms, ...this.#paces, delays: this.#delays, isImplicit},
			told,
		);
		if (isPlaced) {
			this.#putLast(connection);
			connection.on('further', () => this.#remove(connection) && this.#putLast(connection));
			connection.once('closing', () => this.#remove(connection) && this.#closing.add(connection));
			connection.once('closed', () => {
				this.#giveBack(connection);
				this.#ended[connection.safety]++;
			});
		}

		this.connections.add(connection);
		connection.on('refused', this.#terms.onRefused);
		connection.on('unverified', reason => this.#tellUnverified(connection, reason));
		connection.on('error', error => connection.noteFailure(error));
		connection.init();
	}

	/** Those that were turned away as too many do not count. */
	counts(): SessionCounts {
		const open = {none: 0, starttls: 0, implicit: 0};
		for (const {safety} of this.connections) {
			open[safety]++;
		}

		const of = (safety: SessionSafety) => ({open: open[safety], ended: this.#ended[safety]});
		return {none: of('none'), starttls: of('starttls'), implicit: of('implicit')};
	}

	endOverdue(limitMs: number, handshakeMs: number): void {
		const now = Date.now();
		for (const connection of this.connections) {
			connection.endIfOverdue(now, limitMs, handshakeMs);
		}
	}

	/** From now on no fault delays anybody. */
	endDelays(): void {
		this.#delays.endAll();
	}

	endIdle(): void {
		for (const connection of this.connections) {
			connection.endIfIdle();
		}
	}

	endAll(): void {
		for (const connection of this.connections) {
			connection.end(farewells.stopping);
		}
	}

	/**
	 * Ends the session that has got no further for longest, of the address with the most of them: signs of life are no way to
	 * stay. Nobody takes the room of an address that has no more.
	 */
	#makeRoom(newcomer = ''): boolean {
		const own = this.#placed.get(newcomer)?.size ?? 0;
		const addresses = [...this.#placed].filter(([address, {size}]) => address === newcomer || size > own);
		const byMost = addresses.map(([, sessions]) => sessions).sort((a, b) => b.size - a.size);
		const before = Date.now() - this.#limits.stillMs;
		for (const sessions of [this.#closing, ...byMost]) {
			const session = findStill(sessions, before);
			if (session) {
				session.end('Idle connection closed to make room for other clients');
				this.#giveBack(session);
				return true;
			}
		}

		return false;
	}

	#tellUnverified({id: session, remoteAddress: host}: GuardedConnection, reason: string): void {
		const now = Date.now();
		// A clock can be set back.
		if (Math.abs(now - this.#unverifiedAt) >= unverifiedEveryMs) {
			this.#unverifiedAt = now;
			this.#terms.log.info({session, host, reason}, 'Client certificate could not be verified');
		}
	}

	#putLast(session: GuardedConnection): void {
		const sessions = this.#placed.get(session.remoteAddress) ?? new Set();
		this.#placed.set(session.remoteAddress, sessions.add(session));
	}

	#remove(session: GuardedConnection): boolean {
		const sessions = this.#placed.get(session.remoteAddress);
		const isGone = sessions?.delete(session) ?? false;
		if (sessions?.size === 0) {
			this.#placed.delete(session.remoteAddress);
		}

		return isGone;
	}

	#giveBack(session: GuardedConnection): void {
		if (this.#remove(session) || this.#closing.delete(session)) {
			this.#limits.places.giveBack();
		}
	}
}

/** The first that could have got further since then, and did not. */
function findStill(sessions: Iterable<GuardedConnection>, then: number): GuardedConnection | undefined {
	for (const session of sessions) {
		if (session.stillSince > then) {
			break;
		}

		if (!session.waitsForUs) {
			return session;
		}
	}

	return undefined;
}
