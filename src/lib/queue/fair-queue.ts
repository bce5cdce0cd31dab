/** A piece of work that needs one of the workers. */
type Work<Worker> = (worker: Worker) => Promise<void>;

/**
 * Shares workers between owners, who take turns. An owner never has more workers than are left for the others: who asks
 * for much, or for what takes long, delays nobody else.
 */
export class FairQueue<Worker> {
	/** The last one is the next to work. */
	readonly #idle: Worker[];
	/** By owner, whose turn is next first. */
	readonly #waiting = new Map<string, Work<Worker>[]>();
	/** How many workers an owner has. */
	readonly #held = new Map<string, number>();
	readonly #maxEach: number;

	/** `maxEach`: what one owner has at most, however many are idle. */
	constructor(workers: readonly Worker[], maxEach = Number.POSITIVE_INFINITY) {
		this.#idle = [...workers];
		this.#maxEach = maxEach;
	}

	/** How many more works can begin now, of several owners. */
	get free(): number {
		return this.#idle.length;
	}

	/** How many works of this owner would begin at once. */
	room(owner: string): number {
		if (this.#waiting.has(owner)) {
			return 0;
		}

		const held = this.#held.get(owner) ?? 0;
		const idle = this.#idle.length;
		// Each work that begins leaves one worker less to the others.
		return Math.max(0, Math.min(Math.ceil((idle - held) / 2), this.#maxEach - held));
	}

	/** Resolves and rejects as the work does, which begins when it is its turn. */
	async run<T>(owner: string, work: (worker: Worker) => Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			const waiting = this.#waiting.get(owner) ?? [];
			waiting.push(async worker => work(worker).then(resolve, reject));
			this.#waiting.set(owner, waiting);
			this.#serve();
		});
	}

	#mayTake(owner: string): boolean {
		return (this.#held.get(owner) ?? 0) < Math.min(this.#idle.length, this.#maxEach);
	}

	/** Comes by owners again who had a turn, until nobody may take one more. */
	#serve(): void {
		for (const [owner, waiting] of this.#waiting) {
			const work = this.#mayTake(owner) ? waiting.shift() : undefined;
			const worker = work && this.#idle.pop();
			if (worker !== undefined && work) {
				this.#putLast(owner, waiting);
				void this.#give(owner, worker, work);
			}
		}
	}

	async #give(owner: string, worker: Worker, work: Work<Worker>): Promise<void> {
		this.#count(owner, 1);
		await work(worker);
		this.#count(owner, -1);
		this.#idle.push(worker);
		this.#putLast(owner, this.#waiting.get(owner) ?? []);
		this.#serve();
	}

	#count(owner: string, change: 1 | -1): void {
		const held = (this.#held.get(owner) ?? 0) + change;
		if (held === 0) {
			this.#held.delete(owner);
		} else {
			this.#held.set(owner, held);
		}
	}

	/** Whoever had a turn comes last. */
	#putLast(owner: string, waiting: Work<Worker>[]): void {
		this.#waiting.delete(owner);
		if (waiting.length > 0) {
			this.#waiting.set(owner, waiting);
		}
	}
}
