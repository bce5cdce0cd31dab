import type {AppError} from '../../domain/errors.js';
import {beyondLimit} from '../../domain/limits.js';
import type {Store} from '../../store/store.js';
import type {CheckUsage, Usage} from '../../store/usage.js';
import {Tally} from './tally.js';

/** How much there may be of something: of one user, and in all. */
export type Limit = {
	/** As in "open polls". */
	readonly things: string;
	readonly perUser: number;
	readonly inAll: number;
	/** A number of them for people. */
	readonly show: (amount: number) => string;
	/** What frees some, as in "Delete some". */
	readonly makeRoom: string;
	/** What to raise, as in "a larger --max-polls". */
	readonly more: string;
};

/** Keeps within a limit what is there for a while, as open polls. */
export class Quota {
	readonly #limit: Limit;
	readonly #held = new Tally();

	constructor(limit: Limit) {
		this.#limit = limit;
	}

	/** Counts one more for the user until the result is called. Throws `limit_reached`. */
	hold(userId: string): () => void {
		const refusal = refusalBeyond(this.#limit, this.#held.of(userId) + 1, this.#held.total + 1);
		if (refusal) {
			throw refusal;
		}

		return this.#held.add(userId, 1);
	}

	/** How many there are. */
	get held(): number {
		return this.#held.total;
	}
}

/** What was kept for somebody of what was wanted. */
export type Reserved = {
	/** All that was wanted, or as much as there was room for. */
	readonly amount: number;
	/** Why it is not all; undefined when it is. */
	readonly refusal: AppError | undefined;
	/** To be called when it is stored, or will not be. */
	readonly release: () => void;
};

/** Keeps within a limit what is stored. What is about to be stored counts, too: two at the same moment cannot pass together. */
export class StoredQuota {
	readonly #limit: Limit;
	readonly #name: keyof Usage;
	readonly #store: Pick<Store, 'usage'>;
	readonly #held = new Tally();

	constructor(limit: Limit, name: keyof Usage, store: Pick<Store, 'usage'>) {
		this.#limit = limit;
		this.#name = name;
		this.#store = store;
	}

	/**
	 * Does what adds so much to the user's, with a check for the store: other nodes may add some at the same moment. Throws
	 * `limit_reached`, and whatever the work does.
	 */
	async add<T>(userId: string, amount: number, work: (check: CheckUsage) => Promise<T>): Promise<T> {
		const {refusal, release} = await this.reserve(userId, amount);
		try {
			if (refusal) {
				throw refusal;
			}

			return await work((_, usage, inAll) => {
				const beyond = refusalBeyond(this.#limit, usage[this.#name], inAll[this.#name]);
				if (beyond) {
					throw beyond;
				}
			});
		} finally {
			release();
		}
	}

	/** Keeps room for so much more, or for as much of it as there is room for; what others want meanwhile counts in full. */
	async reserve(userId: string, wanted: number): Promise<Reserved> {
		const release = this.#held.add(userId, wanted);
		// Read before the store is: what others store meanwhile is in one of the two.
		const [held, heldInAll] = [this.#held.of(userId), this.#held.total];
		try {
			const [usage, usageInAll] = await Promise.all([this.#store.usage(userId), this.#store.usage()]);
			const [stored, storedInAll] = [usage[this.#name], usageInAll[this.#name]];
			const {perUser, inAll} = this.#limit;
			const [ofUser, ofAll] = [stored + held, storedInAll + heldInAll];
			const beyond = Math.max(0, ofUser - perUser, ofAll - inAll);
			return {amount: Math.max(0, wanted - beyond), refusal: refusalBeyond(this.#limit, ofUser, ofAll), release};
		} catch (error) {
			release();
			throw error;
		}
	}
}

/** Why so much is beyond the limit; undefined when it is not. */
export function refusalBeyond(limit: Limit, ofUser: number, ofAll: number): AppError | undefined {
	const {things, perUser, inAll, show, makeRoom, more} = limit;
	if (ofUser > perUser) {
		return beyondLimit(`Each user can have at most ${show(perUser)} ${things}.`, makeRoom, {more});
	}

	return ofAll > inAll
		? beyondLimit(`All users together can have at most ${show(inAll)} ${things}.`, makeRoom, {more})
		: undefined;
}
