import type {DatabaseSession, Sql} from './connection.js';
import type {OpenSession} from './transactions.js';

/** A session, and how many wait for what they asked in it. */
type Seat = {readonly session: DatabaseSession; atWork: number};

/** Runs statements by themselves, several in a session at a time. One that lost its connection is followed by another. */
export class Statements {
	readonly #open: OpenSession;
	readonly #max: number;
	readonly #seats = new Set<Seat>();

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
	#take(): Seat {
		const [first, ...others] = this.#seats;
		const best = first && others.reduce((one, other) => (other.atWork < one.atWork ? other : one), first);
		return best && (best.atWork === 0 || this.#seats.size === this.#max) ? best : this.#openSeat();
	}

	#openSeat(): Seat {
		const session = this.#open({
			onClose: () => {
				this.#seats.delete(seat);
				void session.end();
			},
			isAsked: () => seat.atWork > 0,
		});
		const seat: Seat = {session, atWork: 0};
		this.#seats.add(seat);
		return seat;
	}
}
