import {AppError, isUnavailable} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';
import type {Sql, Transaction} from './connection.js';
import {databaseError, unavailable} from './errors.js';
import type {Primary} from './primary.js';
import {Serial} from './serial.js';
import {Statements} from './statements.js';
import {type OpenSession, Transactions} from './transactions.js';

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
