import {setTimeout as sleep} from 'node:timers/promises';
import type {Row} from 'postgres';
import {AppError, isUnavailable, stoppingError} from '../../../domain/errors.js';
import {errorCode} from '../../../lib/errors.js';
import {FairQueue} from '../../../lib/queue/fair-queue.js';
import {KeyedMutex} from '../../../lib/queue/mutex.js';
import type {Primary} from './primary.js';
import type {AnySql, DatabaseSession, SessionOptions, Sql, Transaction} from './session.js';

/**
 * Keys of advisory locks, unique within the database.
 * https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
export const locks = {
	migration: 7_463_028_311,
	oldEvents: 7_463_028_312,
	copy: 7_463_028_313,
	logPartitions: 7_463_028_314,
};

/** Maximum number of sessions of a node, besides those for notifications and for the health check. */
const maxSessions = {statements: 5, transactions: 8};

/** Timeouts of statements, and of waiting for a session for a transaction. */
const defaultDeadlineMs = {run: 30_000, begin: 10_000};

export type Begin = <T>(work: (sql: Transaction) => Promise<T>) => Promise<T>;

type Query = (sql: Sql) => PromiseLike<readonly Row[]>;

/** Holder of transactions that no user causes. */
export const background = 'background';

/**
 * Access to the database. Translates errors into the store's errors; `close` waits for running work. Transactions take turns by
 * holder: the id of the user who causes them, or a name of the node's own work.
 */
export class Database {
	readonly #statements: Statements;
	readonly #transactions: Transactions;
	readonly #mutex = new KeyedMutex();
	readonly #pending = new Set<Promise<unknown>>();
	readonly #primary: Primary;
	readonly #deadlineMs: typeof defaultDeadlineMs;
	#isClosing = false;

	constructor(primary: Primary, deadlineMs = defaultDeadlineMs) {
		this.#primary = primary;
		this.#deadlineMs = deadlineMs;
		const open: OpenSession = options => primary.session(options);
		this.#statements = new Statements(open, maxSessions.statements);
		this.#transactions = new Transactions(open, maxSessions.transactions);
	}

	/** Runs statements outside a transaction. */
	async run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
		return this.#track(async () => withDeadline(this.#deadlineMs.run, async () => this.#statements.run(work)));
	}

	/** Runs a query and resolves to the records in its column `row`. */
	async rows<T>(query: Query): Promise<readonly T[]> {
		const rows = await this.run(query);
		return rows.map(({row}) => row);
	}

	/** Runs a query and resolves to the record in the column `row` of its first row. */
	async row<T>(query: Query): Promise<T | undefined> {
		const [first] = await this.rows<T>(query);
		return first;
	}

	/** Runs a query and resolves to the time (ISO 8601) in its column `at`; undefined for null or no row. */
	async time(query: Query): Promise<string | undefined> {
		const [first] = await this.run(query);
		return first?.['at'] ?? undefined;
	}

	/** Runs statements in one transaction, which is durable when it resolves. Repeats it after a deadlock. */
	async begin<T>(holder: string, work: (sql: Transaction) => Promise<T>): Promise<T> {
		return this.whole(holder, async begin => begin(work));
	}

	/**
	 * Runs statements in one transaction. Calls of this node that share a key (mostly an id) run in order of arrival and occupy
	 * at most one session. `follow` runs after the commit and does not delay the next call.
	 */
	async inTurn<T>(
		holder: string,
		keys: readonly string[],
		work: (sql: Transaction) => Promise<T>,
		follow?: (begin: Begin, done: T) => Promise<void>,
	): Promise<T> {
		return this.whole(holder, async begin => {
			const done = await this.#mutex.run(keys, async () => begin(work));
			await follow?.(begin, done);
			return done;
		});
	}

	/** Runs several transactions, for which `close` waits. */
	async whole<T>(holder: string, work: (begin: Begin) => Promise<T>): Promise<T> {
		return this.#track(async () => work(async transaction => this.#begin(holder, transaction)));
	}

	/** Throws `stopping` after `close`. */
	assertOpen(): void {
		if (this.#isClosing) {
			throw stoppingError();
		}
	}

	async close(): Promise<void> {
		this.#isClosing = true;
		await Promise.allSettled(this.#pending);
		await Promise.all([this.#statements.close(), this.#transactions.close()]);
		await this.#primary.close();
	}

	/** Repeats a transaction after a deadlock (code 40P01). It does nothing if its session became free too late. */
	async #begin<T>(holder: string, work: (sql: Transaction) => Promise<T>): Promise<T> {
		for (;;) {
			try {
				return await withDeadline(this.#deadlineMs.begin, async begun =>
					this.#transactions.run(holder, async sql => {
						begun();
						return work(sql);
					}),
				);
			} catch (error) {
				if (errorCode(error) !== '40P01') {
					throw error;
				}
			}
		}
	}

	async #track<T>(work: () => Promise<T>): Promise<T> {
		this.assertOpen();
		if (!this.#primary.isAvailable) {
			throw unavailable();
		}

		const result = work().catch(error => {
			const translated = databaseError(error);
			if (isUnavailable(translated)) {
				this.#primary.check(errorCode(error) === '25006');
			}

			throw translated;
		});
		this.#pending.add(result);
		return result.finally(() => this.#pending.delete(result));
	}
}

/** Rejects if the work neither ended nor called `begun` in time. A later call of `begun` throws. */
async function withDeadline<T>(ms: number, work: (begun: () => void) => Promise<T>): Promise<T> {
	let isTimedOut = false;
	let timer: NodeJS.Timeout | undefined;
	const begun = () => {
		clearTimeout(timer);
		if (isTimedOut) {
			throw unavailable();
		}
	};
	const timeout = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			isTimedOut = true;
			reject(unavailable());
		}, ms);
	});
	return Promise.race([work(begun), timeout]).finally(() => clearTimeout(timer));
}

/** A session, and the number of its running statements. */
type StatementSession = {readonly session: DatabaseSession; running: number};

/** Runs statements on a pool of sessions, several per session at a time. Replaces sessions that lost their connection. */
export class Statements {
	readonly #open: OpenSession;
	readonly #max: number;
	readonly #sessions = new Set<StatementSession>();

	constructor(open: OpenSession, max: number) {
		this.#open = open;
		this.#max = max;
	}

	async run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
		const entry = this.#take();
		entry.running++;
		try {
			return await work(entry.session.sql);
		} finally {
			entry.running--;
		}
	}

	async close(): Promise<void> {
		await Promise.all([...this.#sessions].map(async ({session}) => session.end()));
	}

	/** The session with the fewest statements, or a new one if all are busy and there may be more. */
	#take(): StatementSession {
		const [first, ...others] = this.#sessions;
		const best = first && others.reduce((one, other) => (other.running < one.running ? other : one), first);
		return best && (best.running === 0 || this.#sessions.size === this.#max) ? best : this.#openSession();
	}

	#openSession(): StatementSession {
		const session = this.#open({
			onClose: () => {
				this.#sessions.delete(entry);
				void session.end();
			},
			isAwaited: () => entry.running > 0,
		});
		const entry: StatementSession = {session, running: 0};
		this.#sessions.add(entry);
		return entry;
	}
}

type OpenSession = (options: Pick<SessionOptions, 'onClose' | 'isAwaited'>) => DatabaseSession;

/** A session, and whether a transaction is running. */
type TransactionSession = {readonly session: DatabaseSession; isBusy: boolean};

/**
 * Runs transactions on a pool of sessions, one per session at a time, in turns by holder. The driver's own pool keeps using a lost
 * connection for transactions, which ends the process or loses the slot forever.
 */
export class Transactions {
	readonly #open: OpenSession;
	readonly #slots: FairQueue;
	/** Sessions with a connection. */
	readonly #sessions = new Set<TransactionSession>();
	readonly #free: TransactionSession[] = [];

	constructor(open: OpenSession, max: number) {
		this.#open = open;
		this.#slots = new FairQueue(max);
	}

	/** Commits when `work` resolves and rolls back when it rejects. */
	async run<T>(holder: string, work: (sql: Transaction) => Promise<T>): Promise<T> {
		return this.#slots.run(holder, async () => this.#run(work));
	}

	async close(): Promise<void> {
		await Promise.all([...this.#sessions].map(async ({session}) => session.end()));
	}

	async #run<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		const entry = this.#free.pop() ?? this.#openSession();
		entry.isBusy = true;
		const {sql} = entry.session;
		try {
			await sql`begin`;
			const result = await work(sql as AnySql as Transaction);
			const {command} = await sql`commit`;
			if (command !== 'COMMIT') {
				throw new Error('The transaction was rolled back because one of its statements failed.');
			}

			return result;
		} catch (error) {
			await sql`rollback`.catch(() => this.#drop(entry));
			throw error;
		} finally {
			entry.isBusy = false;
			if (this.#sessions.has(entry)) {
				this.#free.push(entry);
			}
		}
	}

	#openSession(): TransactionSession {
		const session = this.#open({onClose: () => this.#drop(entry), isAwaited: () => entry.isBusy});
		const entry: TransactionSession = {session, isBusy: false};
		this.#sessions.add(entry);
		return entry;
	}

	#drop(entry: TransactionSession): void {
		if (this.#sessions.delete(entry)) {
			const index = this.#free.indexOf(entry);
			if (index !== -1) {
				this.#free.splice(index, 1);
			}

			void entry.session.end();
		}
	}
}

/**
 * Codes of temporary failures: lost, refused or late connections, and the PostgreSQL classes 08 (connection) and 53
 * (resources), shutdown, startup, recovery and read-only standby.
 */
const temporary =
	/^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|08|53|57P0|57014|55P03|25006)/;

/** Translates a temporary database error to `unavailable` or `storage_full`. Other errors are bugs and stay as they are. */
export function databaseError(error: unknown): unknown {
	const code = errorCode(error) ?? '';
	if (error instanceof AppError || !temporary.test(code)) {
		return error;
	}

	return code === '53100'
		? new AppError(
				'storage_full',
				'The disk of the database is full. Data can be stored or deleted only after disk space is freed.',
			)
		: unavailable();
}

function unavailable(): AppError {
	return new AppError('unavailable', 'The database is unavailable. Try again.', {retryAfter: 1});
}

/**
 * Runs `work`, and again `ms` milliseconds after each end. Returns a function that stops this, aborts the signal, and resolves when
 * the last run has ended.
 */
export function runPeriodically(
	work: (signal: AbortSignal) => Promise<void>,
	ms: number,
	onFailure: (error: unknown) => void,
): () => Promise<void> {
	const stopping = new AbortController();
	const {signal} = stopping;
	const run = async () => {
		while (!signal.aborted) {
			await work(signal).catch(onFailure);
			await sleep(ms, undefined, {signal, ref: false}).catch(() => {});
		}
	};
	const running = run();
	return async () => {
		stopping.abort();
		await running;
	};
}
