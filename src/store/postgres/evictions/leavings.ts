import type {Log} from '../../../lib/log.js';
import type {Database} from '../database.js';
import {removeMessages} from '../removals.js';

/** How long they may stay: what new mail drives out of an inbox in that time goes together. */
const lateMs = 500;

/** Takes evicted messages away that are out of sight, soon after; what is left at the end, another node does, or the next start. */
export class Leavings {
	readonly #database: Database;
	readonly #log: Log;
	#inboxIds = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#isStopped = false;

	constructor(database: Database, log: Log) {
		this.#database = database;
		this.#log = log;
	}

	/** Of these inboxes. */
	add(inboxIds: readonly string[]): void {
		for (const id of inboxIds) {
			this.#inboxIds.add(id);
		}

		if (this.#inboxIds.size > 0 && !this.#isStopped) {
			this.#timer ??= setTimeout(() => void this.#remove(), lateMs).unref();
		}
	}

	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
	}

	async #remove(): Promise<void> {
		const inboxIds = this.#inboxIds;
		this.#inboxIds = new Set();
		try {
			for (const id of inboxIds) {
				await this.#database.whole(async begin => removeMessages(begin, id));
			}
		} catch (error) {
			if (!this.#isStopped) {
				this.#log.warn({err: error}, 'Deleting evicted messages failed; retrying');
			}
		}

		this.#timer = undefined;
		this.add([]);
	}
}
