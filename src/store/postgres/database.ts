import {AppError} from '../../domain/errors.js';
import type {Sql, Transaction} from './connection.js';
import {databaseError} from './errors.js';

export type Begin = <T>(work: (sql: Transaction) => Promise<T>) => Promise<T>;

/** All access of the store to the database: what it fails with is told in the store's terms, and `close` waits for it. */
export class Database {
	/** For statements whose failures nobody is told of. */
	readonly sql: Sql;
	readonly #pending = new Set<Promise<unknown>>();
	#isClosing = false;

	constructor(sql: Sql) {
		this.sql = sql;
	}

	/** Runs statements by themselves, each a transaction of its own. */
	async run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
		return this.#guard(async () => work(this.sql));
	}

	/** Runs statements in one transaction, durable when it resolves. It is tried again when it met another in a deadlock. */
	async begin<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		return this.whole(async begin => begin(work));
	}

	/** Does several transactions, all of which `close` waits for. */
	async whole<T>(work: (begin: Begin) => Promise<T>): Promise<T> {
		return this.#guard(async () => work(async transaction => this.#begin(transaction)));
	}

	/** Throws `stopping` once it closes. */
	assertOpen(): void {
		if (this.#isClosing) {
			throw new AppError('stopping', 'The daemon is stopping and stores nothing more. Try again when it runs.');
		}
	}

	async close(): Promise<void> {
		this.#isClosing = true;
		await Promise.allSettled(this.#pending);
		await this.sql.end({timeout: 5});
	}

	async #begin<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		for (;;) {
			try {
				return (await this.sql.begin(work)) as T;
			} catch (error) {
				if (!isDeadlock(error)) {
					throw error;
				}
			}
		}
	}

	async #guard<T>(work: () => Promise<T>): Promise<T> {
		this.assertOpen();
		const result = work().catch(error => {
			throw databaseError(error);
		});
		this.#pending.add(result);
		return result.finally(() => this.#pending.delete(result));
	}
}

function isDeadlock(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === '40P01';
}
