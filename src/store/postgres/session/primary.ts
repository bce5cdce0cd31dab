import type {Socket} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';
import {causeOf, errorCode, StoreError} from '../../../lib/errors.js';
import type {HostPort} from '../../../lib/io/hosts.js';
import type {Log} from '../../../lib/log.js';
import {type DatabaseSession, openSession, openSocket, type SessionOptions} from './session.js';
import {type ConnectionSettings, nameOfServer} from './settings.js';

/** Interval of the health checks. */
const checkEveryMs = 1000;

/** Pause between two searches while there is no primary. */
const searchEveryMs = 250;

/** Grace period for other candidates after the first server reports itself primary. */
const graceMs = 100;

type Answer = {readonly check: HealthCheck; readonly report: HealthReport};

/**
 * Follows the primary among the configured servers. It is checked every second, and searched for again among all servers if
 * it does not answer, ends connections or has become a standby. Its loss and its return are logged once each.
 */
export class Primary {
	readonly #settings: ConnectionSettings;
	readonly #log: Log;
	readonly #closed = new AbortController();
	readonly #sockets = new Set<Socket>();
	/** Health check of the server in use; undefined while there is no primary. */
	#current: HealthCheck | undefined;
	/** Highest timeline of a primary so far. */
	#timeline = 0;
	#checking: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;

	private constructor(settings: ConnectionSettings, log: Log) {
		this.#settings = settings;
		this.#log = log;
	}

	/** Throws `StoreError` if no server can be used. */
	static async find(settings: ConnectionSettings, log: Log): Promise<Primary> {
		const primary = new Primary(settings, log);
		const found = await primary.#find();
		if ('failures' in found) {
			throw explainMissingPrimary(found.failures, settings);
		}

		primary.#follow(found);
		return primary;
	}

	/** Undefined while there is no primary. */
	get server(): HostPort | undefined {
		return this.#current?.server;
	}

	get isAvailable(): boolean {
		return this.#current !== undefined;
	}

	/** Creates a session with the primary. While there is none, its statements fail immediately. */
	session(options: Omit<SessionOptions, 'connect'> = {}): DatabaseSession {
		return openSession(this.#settings, {...options, connect: async () => this.#connect()});
	}

	/**
	 * Checks the server now, after a failure. `isReadOnly` means that a session could only read; then all sessions are ended.
	 */
	check(isReadOnly = false): void {
		if (this.#current && !this.#closed.signal.aborted) {
			clearTimeout(this.#timer);
			this.#checking ??= this.#checkNow(this.#current, isReadOnly).finally(() => {
				this.#checking = undefined;
			});
		}
	}

	async close(): Promise<void> {
		this.#closed.abort();
		clearTimeout(this.#timer);
		this.#current?.end();
		this.#endConnections();
		await this.#checking;
	}

	async #connect(): Promise<{readonly server: HostPort; readonly socket: Socket}> {
		if (!this.#current) {
			throw noServerError();
		}

		const {server, settings} = this.#current;
		const socket = await openSocket(server, settings).catch(error => {
			this.check();
			throw error;
		});
		if (this.#closed.signal.aborted) {
			socket.destroy();
			throw noServerError();
		}

		this.#sockets.add(socket);
		socket.once('close', () => this.#sockets.delete(socket));
		return {server, socket};
	}

	async #checkNow(check: HealthCheck, isReadOnly: boolean): Promise<void> {
		if (isReadOnly) {
			this.#endConnections();
		}

		try {
			assertUsable(await check.ask(), this.#timeline);
			if (isReadOnly) {
				throw new Error('the session was read-only');
			}

			this.#checkLater();
		} catch {
			check.end();
			await this.#replace(check.server);
		}
	}

	/** Searches until there is a primary or this closes. */
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
			this.#endConnections();
		}

		while ('failures' in found && !signal.aborted) {
			await sleep(searchEveryMs, undefined, {signal}).catch(() => {});
			found = await this.#find();
		}

		if (!('failures' in found)) {
			const isBack = this.#current === undefined;
			this.#follow(found);
			if (isBack) {
				const seconds = Math.round(performance.now() - since) / 1000;
				this.#log.info({server: nameOfServer(found.server), seconds}, 'Database available again');
			}
		}
	}

	/** Ends all connections: the lost server may never answer. */
	#endConnections(): void {
		this.#current = undefined;
		for (const socket of this.#sockets) {
			socket.destroy(Object.assign(new Error('the server is unavailable'), {code: 'ECONNRESET'}));
		}
	}

	#follow(check: HealthCheck): void {
		if (this.#closed.signal.aborted) {
			check.end();
		} else {
			this.#current = check;
			this.#checkLater();
		}
	}

	#checkLater(): void {
		if (!this.#closed.signal.aborted) {
			this.#timer = setTimeout(() => this.check(), checkEveryMs).unref();
		}
	}

	/** Finds the primary with the highest timeline among the servers that answer soon, or the reasons why there is none. */
	async #find(): Promise<HealthCheck | {readonly failures: readonly UnusableServer[]}> {
		const failures: UnusableServer[] = [];
		const found: {readonly check: HealthCheck; readonly timeline: number}[] = [];
		let isDone = false;
		const asking = this.#settings.servers.map(async server => {
			try {
				const {check, report} = await this.#probe(server);
				if (isDone) {
					check.end();
				} else {
					found.push({check, timeline: report.timeline});
				}
			} catch (error) {
				failures.push({server, error});
				throw error;
			}
		});
		await Promise.any(asking).catch(() => {});
		if (found.length < asking.length && found.length > 0) {
			await Promise.race([Promise.allSettled(asking), sleep(graceMs)]);
		}

		isDone = true;
		const [best, ...others] = found.sort((one, other) => other.timeline - one.timeline);
		for (const {check} of others) {
			check.end();
		}

		this.#timeline = best?.timeline ?? this.#timeline;
		return best?.check ?? {failures};
	}

	/** Checks a server, trying each allowed TLS mode. */
	async #probe(server: HostPort, [settings, ...others] = tlsVariants(this.#settings)): Promise<Answer> {
		const check = createHealthCheck(server, settings);
		const end = () => check.end();
		this.#closed.signal.addEventListener('abort', end);
		try {
			const report = await check.ask();
			assertUsable(report, this.#timeline);
			return {check, report};
		} catch (error) {
			check.end();
			const [next] = others;
			if (next && error instanceof postgres.PostgresError) {
				return await this.#probe(server, [next]);
			}

			throw error;
		} finally {
			this.#closed.signal.removeEventListener('abort', end);
		}
	}
}

function noServerError(): Error {
	return Object.assign(new Error('no server is available'), {code: 'ECONNREFUSED'});
}

/** Health report of a server. */
type HealthReport = {
	/** `server_version_num`: 150004 is 15.4. */
	readonly version: number;
	/** True if new sessions can only read. */
	readonly isReadOnly: boolean;
	/** Number of promotions of a standby. A server with a lower one was replaced. */
	readonly timeline: number;
};

/** A session for the health checks of one server. It fails with a standby. */
type HealthCheck = {
	readonly server: HostPort;
	/** Settings with the TLS mode that works. */
	readonly settings: ConnectionSettings;
	ask(): Promise<HealthReport>;
	end(): void;
};

/** Timeout of a check; generous, as the server may be very busy. */
const deadlineMs = 5000;

/** TLS modes to try. As in libpq, "allow" means without TLS, then with it. */
function tlsVariants(settings: ConnectionSettings): readonly [ConnectionSettings, ...ConnectionSettings[]] {
	const withTls = (mode: ConnectionSettings['tls']['mode']) => ({...settings, tls: {...settings.tls, mode}});
	return settings.tls.mode === 'allow' ? [withTls('disable'), withTls('require')] : [settings];
}

function createHealthCheck(server: HostPort, settings: ConnectionSettings): HealthCheck {
	const connect = async () => ({server, socket: await openSocket(server, settings)});
	let isAwaited = false;
	const session = openSession(settings, {connect, isAwaited: () => isAwaited});
	return {
		server,
		settings,
		async ask() {
			isAwaited = true;
			const query = session.sql<[HealthReport]>`
				select current_setting('server_version_num')::int as version,
					current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
					('x' || substring(pg_walfile_name(pg_current_wal_lsn()) for 8))::bit(32)::int as timeline
			`;
			const waited = new AbortController();
			const late = sleep(deadlineMs, undefined, {signal: waited.signal, ref: false}).then(() => {
				throw Object.assign(new Error('the server does not respond'), {code: 'ETIMEDOUT'});
			});
			try {
				const [report] = await Promise.race([query, late]);
				return report as HealthReport;
			} finally {
				isAwaited = false;
				late.catch(() => {});
				waited.abort();
			}
		},
		end: () => void session.end(),
	};
}

/** A server that cannot be used, and the reason. */
type UnusableServer = {readonly server: HostPort | undefined; readonly error: unknown};

/** PostgreSQL 13 */
const oldestVersion = 130_000;

/** Throws `StoreError` if a server cannot be the primary. One with a timeline lower than the newest known was replaced. */
export function assertUsable({version, isReadOnly, timeline}: HealthReport, newestTimeline: number): void {
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

/** Explains to the user why no server can be used, and what to do. */
export function explainMissingPrimary(
	failures: readonly UnusableServer[],
	{servers, user, database, password}: ConnectionSettings,
): StoreError {
	// Servers that answered give the most useful reason.
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
