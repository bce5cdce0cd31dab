import type {Sql, Transaction} from './connection.js';

/** A session, and whether its connection is over. */
type Seat = {readonly sql: Sql; isLost: boolean};

/** Opens a session that connects once, and tells when its connection is over. */
export type OpenSession = (onClose: () => void) => Sql;

/**
 * Runs transactions, each in a session that is its own meanwhile. The driver's own way to do so uses a connection that was lost
 * on: it ends the process, or its place is lost for ever. Here nothing is ever sent in a second connection of a session, since that
 * would be outside of the transaction.
 */
export class Transactions {
	readonly #open: OpenSession;
	readonly #max: number;
	readonly #free: Seat[] = [];
	readonly #waiting: ((seat: Seat) => void)[] = [];
	#count = 0;

	constructor(open: OpenSession, max: number) {
		this.#open = open;
		this.#max = max;
	}

	/** Commits what the work did once it resolves, and takes it back when it rejects. */
	async run<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
		const seat = await this.#take();
		const {sql} = seat;
		try {
			await sql`begin`;
			const result = await work(sql as unknown as Transaction);
			const {command} = await sql`commit`;
			if (command !== 'COMMIT') {
				throw new Error('The transaction was taken back, since one of its statements failed.');
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
		await Promise.all(this.#free.map(async ({sql}) => sql.end({timeout: 5})));
	}

	async #take(): Promise<Seat> {
		const seat = this.#free.pop();
		if (seat) {
			return seat;
		}

		return this.#count < this.#max
			? this.#openSeat()
			: new Promise(resolve => {
					this.#waiting.push(resolve);
				});
	}

	#give(seat: Seat): void {
		if (!seat.isLost) {
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

	#openSeat(): Seat {
		this.#count++;
		const sql = this.#open(() => this.#lose(seat));
		const seat: Seat = {sql, isLost: false};
		return seat;
	}

	#lose(seat: Seat): void {
		if (!seat.isLost) {
			seat.isLost = true;
			this.#count--;
			const index = this.#free.indexOf(seat);
			if (index !== -1) {
				this.#free.splice(index, 1);
			}

			void seat.sql.end({timeout: 0}).catch(() => {});
		}
	}
}
