import type {Socket} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';
import {causeOf} from '../../lib/errors.js';
import type {HostPort} from '../../lib/hosts.js';
import type {Log} from '../../lib/log.js';
import {type DatabaseSession, openSession, type SessionOptions} from './connection.js';
import {type ConnectionSettings, nameOfServer} from './connection-settings.js';
import {createPulse, type Pulse, type Vitals, waysTo} from './pulse.js';
import {openSocket} from './socket.js';
import {assertFit, type UnfitServer, whyNone} from './why-none.js';

/** How often the server is asked whether it still is the one. */
const askEveryMs = 1000;

/** Between two searches while there is none. */
const searchEveryMs = 250;

/** Once one server said that it is the one, others that could be have so long to say so. */
const othersMs = 100;

/** A server that can be used, and what it said. */
type Answer = {readonly pulse: Pulse; readonly vitals: Vitals};

/**
 * The server, of those that are named, that takes writes. It is asked every second, and looked for again among all of them when it
 * does not answer, ends connections, or has become a standby. The log tells once that it is away, and once that it is back.
 */
export class Primary {
	readonly #settings: ConnectionSettings;
	readonly #log: Log;
	readonly #closed = new AbortController();
	readonly #sockets = new Set<Socket>();
	/** Of the server in use; undefined while none answers. */
	#pulse: Pulse | undefined;
	/** The newest history that a primary was on. */
	#timeline = 0;
	#looking: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;

	private constructor(settings: ConnectionSettings, log: Log) {
		this.#settings = settings;
		this.#log = log;
	}

	/** Throws `StoreError` when no server can be used. */
	static async find(settings: ConnectionSettings, log: Log): Promise<Primary> {
		const primary = new Primary(settings, log);
		const found = await primary.#find();
		if ('failures' in found) {
			throw whyNone(found.failures, settings);
		}

		primary.#use(found);
		return primary;
	}

	/** Undefined while none answers. */
	get server(): HostPort | undefined {
		return this.#pulse?.server;
	}

	get isAvailable(): boolean {
		return this.#pulse !== undefined;
	}

	/** A session with the server. While there is none, all that is asked in it fails at once. */
	session(options: Omit<SessionOptions, 'reach'> = {}): DatabaseSession {
		return openSession(this.#settings, {...options, reach: async () => this.#reach()});
	}

	/** Looks at once whether the server is still there, since somebody met a failure; all sessions go when they could only read. */
	check(isReadOnly = false): void {
		if (this.#pulse && !this.#closed.signal.aborted) {
			clearTimeout(this.#timer);
			this.#looking ??= this.#look(this.#pulse, isReadOnly).finally(() => {
				this.#looking = undefined;
			});
		}
	}

	async close(): Promise<void> {
		this.#closed.abort();
		clearTimeout(this.#timer);
		this.#pulse?.end();
		this.#abandon();
		await this.#looking;
	}

	async #reach(): Promise<{readonly server: HostPort; readonly socket: Socket}> {
		if (!this.#pulse) {
			throw notReached();
		}

		const {server, settings} = this.#pulse;
		const socket = await openSocket(server, settings).catch(error => {
			this.check();
			throw error;
		});
		if (this.#closed.signal.aborted) {
			socket.destroy();
			throw notReached();
		}

		this.#sockets.add(socket);
		socket.once('close', () => this.#sockets.delete(socket));
		return {server, socket};
	}

	async #look(pulse: Pulse, isReadOnly: boolean): Promise<void> {
		if (isReadOnly) {
			this.#abandon();
		}

		try {
			assertFit(await pulse.ask(), this.#timeline);
			if (isReadOnly) {
				throw new Error('the session was read-only');
			}

			this.#askLater();
		} catch {
			pulse.end();
			await this.#replace(pulse.server);
		}
	}

	/** Until there is one, or all ends. */
	async #replace(lost: HostPort): Promise<void> {
		const {signal} = this.#closed;
		const since = performance.now();
		let found = await this.#find();
		if ('failures' in found) {
			const [failure] = found.failures;
			this.#log.error(
				{server: nameOfServer(lost), reason: causeOf(failure?.error)},
				'Database unavailable; answering requests with 503 and mail with 451',
			);
		}

		if ('failures' in found || found.server !== lost) {
			this.#abandon();
		}

		while ('failures' in found && !signal.aborted) {
			await sleep(searchEveryMs, undefined, {signal}).catch(() => {});
			found = await this.#find();
		}

		if (!('failures' in found)) {
			const isBack = this.#pulse === undefined;
			this.#use(found);
			if (isBack) {
				const seconds = Math.round(performance.now() - since) / 1000;
				this.#log.info({server: nameOfServer(found.server), seconds}, 'Database available again');
			}
		}
	}

	/** What is under way with the server that is lost fails now: nobody may ever answer it. */
	#abandon(): void {
		this.#pulse = undefined;
		for (const socket of this.#sockets) {
			socket.destroy(Object.assign(new Error('the server is unavailable'), {code: 'ECONNRESET'}));
		}
	}

	#use(pulse: Pulse): void {
		if (this.#closed.signal.aborted) {
			pulse.end();
		} else {
			this.#pulse = pulse;
			this.#askLater();
		}
	}

	#askLater(): void {
		if (!this.#closed.signal.aborted) {
			this.#timer = setTimeout(() => this.check(), askEveryMs).unref();
		}
	}

	/** The pulse of the primary with the newest history among those that answer soon; else why each is none. */
	async #find(): Promise<Pulse | {readonly failures: readonly UnfitServer[]}> {
		const failures: UnfitServer[] = [];
		const found: {readonly pulse: Pulse; readonly timeline: number}[] = [];
		let isOver = false;
		const asking = this.#settings.servers.map(async server => {
			try {
				const {pulse, vitals} = await this.#ask(server);
				if (isOver) {
					pulse.end();
				} else {
					found.push({pulse, timeline: vitals.timeline});
				}
			} catch (error) {
				failures.push({server, error});
				throw error;
			}
		});
		await Promise.any(asking).catch(() => {});
		if (found.length < asking.length && found.length > 0) {
			await Promise.race([Promise.allSettled(asking), sleep(othersMs)]);
		}

		isOver = true;
		const [best, ...others] = found.sort((one, other) => other.timeline - one.timeline);
		for (const {pulse} of others) {
			pulse.end();
		}

		this.#timeline = best?.timeline ?? this.#timeline;
		return best?.pulse ?? {failures};
	}

	/** In the first of the ways that it takes. */
	async #ask(server: HostPort, [settings, ...others] = waysTo(this.#settings)): Promise<Answer> {
		const pulse = createPulse(server, settings);
		const end = () => pulse.end();
		this.#closed.signal.addEventListener('abort', end);
		try {
			const vitals = await pulse.ask();
			assertFit(vitals, this.#timeline);
			return {pulse, vitals};
		} catch (error) {
			pulse.end();
			const [next] = others;
			if (next && error instanceof postgres.PostgresError) {
				return await this.#ask(server, [next]);
			}

			throw error;
		} finally {
			this.#closed.signal.removeEventListener('abort', end);
		}
	}
}

function notReached(): Error {
	return Object.assign(new Error('no server is available'), {code: 'ECONNREFUSED'});
}
