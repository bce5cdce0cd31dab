import {Servers} from './clock.js';

/**
 * A simulated PostgreSQL server: processors, row locks, and a write-ahead log in which one sync serves all waiting commits.
 */
export class Database {
	walBytes = 0;
	#clock;
	#figures;
	/** Transactions by row: the holder of its lock first, then those that wait. @type {Map<number, Array<() => void>>} */
	#locks = new Map();
	/** @type {Array<{bytes: number, done: () => void}>} */
	#unsynced = [];
	#isSyncing = false;

	/**
	 * @param {import('./clock.js').Clock} clock
	 * @param {import('./simulate.js').Figures} figures
	 * @param {number} cores
	 */
	constructor(clock, figures, cores) {
		this.#clock = clock;
		this.#figures = figures;
		this.cores = new Servers(clock, cores);
		/** Lock of the whole server that NOTIFY holds during the commit. */
		this.noticeLock = new Servers(clock, 1);
	}

	/**
	 * Runs a transaction that locks rows in the order of their numbers, which prevents deadlocks.
	 * @param {{rows: readonly number[], cpuMs: number, walBytes: number}} work
	 * @param {() => void} done
	 */
	commit({rows, cpuMs, walBytes}, done) {
		const sorted = [...new Set(rows)].sort((a, b) => a - b);
		const lockFrom = (/** @type {number} */ index) => {
			const row = sorted[index];
			if (row !== undefined) {
				this.#lock(row, () => lockFrom(index + 1));
				return;
			}

			this.cores.work(cpuMs, () =>
				this.#write(walBytes, () => {
					for (const row of sorted) {
						this.#unlock(row);
					}

					done();
				}),
			);
		};
		lockFrom(0);
	}

	/**
	 * @param {number} row
	 * @param {() => void} locked
	 */
	#lock(row, locked) {
		const queue = this.#locks.get(row);
		if (queue) {
			queue.push(locked);
		} else {
			this.#locks.set(row, [locked]);
			locked();
		}
	}

	/** @param {number} row */
	#unlock(row) {
		const queue = this.#locks.get(row) ?? [];
		queue.shift();
		if (queue[0]) {
			queue[0]();
		} else {
			this.#locks.delete(row);
		}
	}

	/**
	 * @param {number} bytes
	 * @param {() => void} done
	 */
	#write(bytes, done) {
		this.#unsynced.push({bytes, done});
		if (!this.#isSyncing) {
			this.#sync();
		}
	}

	#sync() {
		const batch = this.#unsynced;
		this.#unsynced = [];
		this.#isSyncing = batch.length > 0;
		if (!this.#isSyncing) {
			return;
		}

		const bytes = batch.reduce((sum, write) => sum + write.bytes, 0);
		const {syncMs, walMegabytesPerSecond} = this.#figures;
		const ms = syncMs + bytes / (walMegabytesPerSecond * 1000);
		this.walBytes += bytes;
		this.#clock.after(ms, () => {
			for (const {done} of batch) {
				done();
			}

			this.#sync();
		});
	}
}
