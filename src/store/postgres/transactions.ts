import type {DatabaseSession, SessionOptions, Transaction} from './connection.js';

export type OpenSession = (options: Pick<SessionOptions, 'onClose' | 'isAsked'>) => DatabaseSession;

/** A session, and whether a transaction is at work in it. */
type Seat = {readonly session: DatabaseSession; isTaken: boolean};

/**
 * Runs transactions, each in a session that is its own meanwhile. The driver's own way to do so uses a connection that was lost
 * on: it ends the process, or its place is lost for ever.
 */
export class Transactions {
	readonly #open: OpenSession;
	readonly #max: number;
	/** Those whose connection is not over. */
	readonly #seats = new Set<Seat>();
	readonly #free: Seat[] = [];
	readonly #waiting: ((seat: Seat) => void)[] = [];

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

	async #take(): Promise<Seat> {
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

	#give(seat: Seat): void {
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

	#openSeat(): Seat {
		const session = this.#open({onClose: () => this.#lose(seat), isAsked: () => seat.isTaken});
		const seat: Seat = {session, isTaken: false};
		this.#seats.add(seat);
		return seat;
	}

	#lose(seat: Seat): void {
		if (this.#seats.delete(seat)) {
			const index = this.#free.indexOf(seat);
			if (index !== -1) {
				this.#free.splice(index, 1);
			}

			void seat.session.end();
		}
	}
}
