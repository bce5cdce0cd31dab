/** A piece of work that needs one of the workers. */
type Work<Worker> = (worker: Worker) => Promise<void>;

/**
 * Shares a few workers between owners, who take turns. An owner has one worker at a time: who asks for much, or for
 * what takes long, delays nobody else as long as there is another worker.
 */
export class FairQueue<Worker> {
	/** The last one is the next to work. */
	readonly #idle: Worker[];
	/** By owner, whose turn is next first. */
	readonly #waiting = new Map<string, Work<Worker>[]>();
	readonly #served = new Set<string>();

	constructor(workers: readonly Worker[]) {
		this.#idle = [...workers];
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

	#serve(): void {
		for (const [owner, waiting] of this.#waiting) {
			if (this.#idle.length === 0) {
				break;
			}

			if (!this.#served.has(owner)) {
				void this.#give(owner, waiting);
			}
		}
	}

	async #give(owner: string, waiting: Work<Worker>[]): Promise<void> {
		const worker = this.#idle.pop();
		const work = waiting.shift();
		if (worker !== undefined && work) {
			this.#served.add(owner);
			await work(worker);
			this.#served.delete(owner);
			this.#idle.push(worker);
			// Whoever had a turn comes last.
			this.#waiting.delete(owner);
			if (waiting.length > 0) {
				this.#waiting.set(owner, waiting);
			}

			this.#serve();
		}
	}
}
