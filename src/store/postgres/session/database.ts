import {AppError, isUnavailable} from '../../../domain/errors.js';
import {errorCode} from '../../../lib/errors.js';
import type {Primary} from './primary.js';
import type {DatabaseSession, SessionOptions, Sql, Transaction} from './session.js';

/**
 * The keys of the advisory locks by which nodes do some things one after the other, or only one of them does. Numbers that nobody
 * else in the database takes, and no two alike: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS.
 */
export const locks = {
	migration: 7_463_028_311,
	oldEvents: 7_463_028_312,
	copy: 7_463_028_313,
	daysOfLog: 7_463_028_314,
};

/** Sessions that a node has at most, besides those for notices and the one that asks whether the server is there. */
const sessions = {statements: 5, transactions: 8};

/** How long statements may take, and how long a transaction waits for its session, in milliseconds. */
const defaultDeadlineMs = {run: 30_000, begin: 10_000};

export type Begin = <T>(work: (sql: Transaction) => Promise<T>) => Promise<T>;

/** All access of the store to the database: what it fails with is told in the store's terms, and `close` waits for it. */
export class Database {
	readonly #statements: Statements;
	readonly #transactions: Transactions;
	readonly #turns = new Serial();
	readonly #pending = new Set<Promise<unknown>>();
	readonly #primary: Primary;
	readonly #deadlineMs: typeof defaultDeadlineMs;
	#isClosing = false;

	constructor(primary: Primary, deadlineMs = defaultDeadlineMs) {
		this.#primary = primary;
		this.#deadlineMs = deadlineMs;
		const open: OpenSession = options => primary.session(options);
		this.#statements = new Statements(open, sessions.statements);
		this.#transactions = new Transactions(open, sessions.transactions);
	}

	/** Runs statements by themselves, each a transaction of its own. */
	async run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
		return this.#guard(async () => withDeadline(this.#deadlineMs.run, async () => this.#statements.run(work)));
	}

	/** Runs statements in one transaction, durable when it resolves. It is tried again when it met another in a deadlock. */
	async begin<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		return this.whole(async begin => begin(work));
	}

	/**
	 * Runs statements in one transaction, one after the other where the keys (ids, mostly) have one in common: what this node is
	 * asked for first comes first, and whoever asks for much takes no more than one session from the others. Then it does what
	 * follows once that is durable, out of turn.
	 */
	async inTurn<T>(
		keys: readonly string[],
		work: (sql: Transaction) => Promise<T>,
		follow?: (begin: Begin, done: T) => Promise<void>,
	): Promise<T> {
		return this.whole(async begin => {
			const done = await this.#turns.run(keys, async () => begin(work));
			await follow?.(begin, done);
			return done;
		});
	}

	/** Does several transactions, all of which `close` waits for. */
	async whole<T>(work: (begin: Begin) => Promise<T>): Promise<T> {
		return this.#guard(async () => work(async transaction => this.#begin(transaction)));
	}

	/** Throws `stopping` once it closes. */
	assertOpen(): void {
		if (this.#isClosing) {
			throw new AppError('stopping', 'The daemon is stopping and does not store data. Try again when it is running.');
		}
	}

	async close(): Promise<void> {
		this.#isClosing = true;
		await Promise.allSettled(this.#pending);
		await Promise.all([this.#statements.close(), this.#transactions.close()]);
		await this.#primary.close();
	}

	async #begin<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		for (;;) {
			try {
				return await this.#beginOnce(work);
			} catch (error) {
				if (!isDeadlock(error)) {
					throw error;
				}
			}
		}
	}

	/** A transaction whose session came too late does nothing. */
	async #beginOnce<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		return withDeadline(this.#deadlineMs.begin, async begun =>
			this.#transactions.run(async sql => {
				begun();
				return work(sql);
			}),
		);
	}

	async #guard<T>(work: () => Promise<T>): Promise<T> {
		this.assertOpen();
		if (!this.#primary.isAvailable) {
			throw unavailable();
		}

		const result = work().catch(error => {
			const told = databaseError(error);
			if (isUnavailable(told)) {
				this.#primary.check(errorCode(error) === '25006');
			}

			throw told;
		});
		this.#pending.add(result);
		return result.finally(() => this.#pending.delete(result));
	}
}

function isDeadlock(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === '40P01';
}

/** Rejects when the work was neither done nor has called back within so long; calling back after that throws. */
async function withDeadline<T>(ms: number, work: (begun: () => void) => Promise<T>): Promise<T> {
	let isLate = false;
	let timer: NodeJS.Timeout | undefined;
	const begun = () => {
		clearTimeout(timer);
		if (isLate) {
			throw unavailable();
		}
	};
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			isLate = true;
			reject(unavailable());
		}, ms);
	});
	return Promise.race([work(begun), late]).finally(() => clearTimeout(timer));
}

/** A session, and how many wait for what they asked in it. */
type StatementSession = {readonly session: DatabaseSession; atWork: number};

/** Runs statements by themselves, several in a session at a time. One that lost its connection is followed by another. */
export class Statements {
	readonly #open: OpenSession;
	readonly #max: number;
	readonly #seats = new Set<StatementSession>();

	constructor(open: OpenSession, max: number) {
		this.#open = open;
		this.#max = max;
	}

	async run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
		const seat = this.#take();
		seat.atWork++;
		try {
			return await work(seat.session.sql);
		} finally {
			seat.atWork--;
		}
	}

	async close(): Promise<void> {
		await Promise.all([...this.#seats].map(async ({session}) => session.end()));
	}

	/** That with the least to do, or another one as long as there may be more. */
	#take(): StatementSession {
		const [first, ...others] = this.#seats;
		const best = first && others.reduce((one, other) => (other.atWork < one.atWork ? other : one), first);
		return best && (best.atWork === 0 || this.#seats.size === this.#max) ? best : this.#openSeat();
	}

	#openSeat(): StatementSession {
		const session = this.#open({
			onClose: () => {
				this.#seats.delete(seat);
				void session.end();
			},
			isAsked: () => seat.atWork > 0,
		});
		const seat: StatementSession = {session, atWork: 0};
		this.#seats.add(seat);
		return seat;
	}
}

type OpenSession = (options: Pick<SessionOptions, 'onClose' | 'isAsked'>) => DatabaseSession;

/** A session, and whether a transaction is at work in it. */
type TransactionSession = {readonly session: DatabaseSession; isTaken: boolean};

/**
 * Runs transactions, each in a session that is its own meanwhile. The driver's own way to do so uses a connection that was lost
 * on: it ends the process, or its place is lost for ever.
 */
export class Transactions {
	readonly #open: OpenSession;
	readonly #max: number;
	/** Those whose connection is not over. */
	readonly #seats = new Set<TransactionSession>();
	readonly #free: TransactionSession[] = [];
	readonly #waiting: ((seat: TransactionSession) => void)[] = [];

	constructor(open: OpenSession, max: number) {
		this.#open = open;
		this.#max = max;
	}

	/** Commits what the work did once it resolves, and takes it back when it rejects. */
	async run<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		const seat = await this.#take();
		seat.isTaken = true;
		const {sql} = seat.session;
		try {
			await sql`begin`;
			const result = await work(sql as unknown as Transaction);
			const {command} = await sql`commit`;
			if (command !== 'COMMIT') {
				throw new Error('The transaction was rolled back because one of its statements failed.');
			}

			return result;
		} catch (error) {
			await sql`rollback`.catch(() => this.#lose(seat));
			throw error;
		} finally {
			this.#give(seat);
		}
	}

	async close(): Promise<void> {
		await Promise.all([...this.#seats].map(async ({session}) => session.end()));
	}

	async #take(): Promise<TransactionSession> {
		const seat = this.#free.pop();
		if (seat) {
			return seat;
		}

		return this.#seats.size < this.#max
			? this.#openSeat()
			: new Promise(resolve => {
					this.#waiting.push(resolve);
				});
	}

	#give(seat: TransactionSession): void {
		seat.isTaken = false;
		if (this.#seats.has(seat)) {
			const next = this.#waiting.shift();
			if (next) {
				next(seat);
			} else {
				this.#free.push(seat);
			}
		} else if (this.#waiting.length > 0) {
			this.#waiting.shift()?.(this.#openSeat());
		}
	}

	#openSeat(): TransactionSession {
		const session = this.#open({onClose: () => this.#lose(seat), isAsked: () => seat.isTaken});
		const seat: TransactionSession = {session, isTaken: false};
		this.#seats.add(seat);
		return seat;
	}

	#lose(seat: TransactionSession): void {
		if (this.#seats.delete(seat)) {
			const index = this.#free.indexOf(seat);
			if (index !== -1) {
				this.#free.splice(index, 1);
			}

			void seat.session.end();
		}
	}
}

/** Runs works one after the other, in the order in which they came, where they have a key in common. */
class Serial {
	readonly #last = new Map<string, Promise<unknown>>();

	async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
		const before = keys.map(key => this.#last.get(key));
		const result = Promise.all(before).then(work);
		const over = result
			.catch(() => {})
			.then(() => {
				for (const key of keys) {
					if (this.#last.get(key) === over) {
						this.#last.delete(key);
					}
				}
			});
		for (const key of keys) {
			this.#last.set(key, over);
		}

		return result;
	}
}

/**
 * Codes that pass by themselves: of the driver and the system when a connection is lost, refused or late; of PostgreSQL those of
 * classes 08 (connection) and 53 (resources), and when it shuts down, starts, recovers, or is a standby.
 */
const passing =
	/^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|08|53|57P0|57014|55P03|25006)/;

/** What a failure of the database is to those who asked: anything else is a bug and stays what it is. */
export function databaseError(error: unknown): unknown {
	const code = errorCode(error) ?? '';
	if (error instanceof AppError || !passing.test(code)) {
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
