import type {Socket} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';
import {causeOf, errorCode, StoreError} from '../../../lib/errors.js';
import type {HostPort} from '../../../lib/io/hosts.js';
import type {Log} from '../../../lib/log.js';
import {type DatabaseSession, openSession, openSocket, type SessionOptions} from './session.js';
import {type ConnectionSettings, nameOfServer} from './settings.js';

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
			throw explainMissingPrimary(found.failures, settings);
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

/** What a server says of itself. */
type Vitals = {
	/** As in `server_version_num`: 150004 is 15.4. */
	readonly version: number;
	/** Whether sessions that begin now can only read. */
	readonly isReadOnly: boolean;
	/** Counts how often a standby has become the primary: one on an older history was succeeded. */
	readonly timeline: number;
};

/** A session that asks one server how it is; it fails with a standby, which takes no writes. */
type Pulse = {
	readonly server: HostPort;
	/** With which it is reached. */
	readonly settings: ConnectionSettings;
	ask(): Promise<Vitals>;
	end(): void;
};

/** A server can be very busy. */
const deadlineMs = 5000;

/** As libpq has it: "allow" is without TLS, and with it where the server does not take that. */
function waysTo(settings: ConnectionSettings): readonly [ConnectionSettings, ...ConnectionSettings[]] {
	const withTls = (mode: ConnectionSettings['tls']['mode']) => ({...settings, tls: {...settings.tls, mode}});
	return settings.tls.mode === 'allow' ? [withTls('disable'), withTls('require')] : [settings];
}

function createPulse(server: HostPort, settings: ConnectionSettings): Pulse {
	const reach = async () => ({server, socket: await openSocket(server, settings)});
	let isAsked = false;
	const session = openSession(settings, {reach, isAsked: () => isAsked});
	return {
		server,
		settings,
		async ask() {
			isAsked = true;
			const query = session.sql<[Vitals]>`
				select current_setting('server_version_num')::int as version,
					current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
					('x' || substring(pg_walfile_name(pg_current_wal_lsn()) for 8))::bit(32)::int as timeline
			`;
			const waited = new AbortController();
			const late = sleep(deadlineMs, undefined, {signal: waited.signal, ref: false}).then(() => {
				throw Object.assign(new Error('the server does not respond'), {code: 'ETIMEDOUT'});
			});
			try {
				const [vitals] = await Promise.race([query, late]);
				return vitals as Vitals;
			} finally {
				isAsked = false;
				late.catch(() => {});
				waited.abort();
			}
		},
		end: () => void session.end(),
	};
}

/** A server that cannot be used, and why. */
type UnfitServer = {readonly server: HostPort | undefined; readonly error: unknown};

/** PostgreSQL 13. */
const oldestVersion = 130_000;

/** Throws what a server lacks to be the one; one on an older history than the newest known was succeeded. */
export function assertFit({version, isReadOnly, timeline}: Vitals, newestTimeline: number): void {
	if (version < oldestVersion) {
		const known = `${Math.floor(version / 10_000)}.${version % 10_000}`;
		throw new StoreError(`is PostgreSQL ${known}, but tinbox requires 13 or newer`);
	}

	if (isReadOnly) {
		throw new StoreError('is read-only (default_transaction_read_only is on)');
	}

	if (timeline < newestTimeline) {
		throw new StoreError('was replaced by another server');
	}
}

/** What is wrong and what to do about it, in a sentence or two for whoever starts a node. */
export function explainMissingPrimary(
	failures: readonly UnfitServer[],
	{servers, user, database, password}: ConnectionSettings,
): StoreError {
	// Those that answered tell most.
	const {server, error} = failures.find(({error}) => !isUnreachable(error)) ??
		failures[0] ?? {server: servers[0], error: ''};
	const place = server ? nameOfServer(server) : '';
	const code = errorCode(error) ?? '';
	if (isUnreachable(error)) {
		const all = servers.map(nameOfServer).join(', ');
		return new StoreError(
			`Cannot connect to a database at ${all} (${causeOf(error)}). Check that it is running and that --store has the right address.`,
		);
	}

	const sentences: Readonly<Record<string, string>> = {
		'28P01':
			server && password(server) === ''
				? `The database at ${place} requires a password for the user "${user}". Set it in the URL, in PGPASSWORD or in a password file.`
				: `The database at ${place} rejected the password of the user "${user}".`,
		'28000': `The database at ${place} rejected the user "${user}" (${causeOf(error)}). Check its pg_hba.conf.`,
		'3D000': `There is no database "${database}" at ${place}. Create it: createdb ${database}`,
		'42501': `The user "${user}" has no permission for the database "${database}" at ${place} (${causeOf(error)}).`,
		CONNECTION_DESTROYED: `The server at ${place} is a read-only standby. Use the primary, or list both servers: postgres://one:5432,other:5432/${database}`,
	};
	const other = error instanceof StoreError ? error.message : `cannot be used: ${causeOf(error)}`;
	return new StoreError(sentences[code] ?? `The database at ${place} ${other}.`);
}

function isUnreachable(error: unknown): boolean {
	return /^(?:ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT|ETIMEDOUT|CONNECT_TIMEOUT|CONNECTION_CLOSED)/.test(
		errorCode(error) ?? '',
	);
}
