import {type AppError, beyondLimit} from '../domain/errors.js';
import type {CheckUsage, Store, Usage} from '../store/port.js';

const held = ['polls', 'streams'] as const;
const stored = ['inboxes', 'endpoints', 'teams', 'deliveries'] as const satisfies readonly (keyof Usage)[];

/** Everything that is counted by user. */
export type UserLimits = Readonly<Record<(typeof held)[number] | keyof Usage, Limit>>;

/** One quota for each limit, but one for both of mail, for all who count that. */
export type Quotas = {readonly [K in (typeof held)[number]]: Quota} & {
	readonly [K in (typeof stored)[number]]: StoredQuota;
} & {readonly mail: MailQuota};

export function createQuotas(limits: UserLimits, store: Pick<Store, 'usage'>): Quotas {
	const storedQuota = (name: (typeof stored)[number]) => new StoredQuota(limits[name], name, store);
	return {
		polls: new Quota(limits.polls),
		streams: new Quota(limits.streams),
		inboxes: storedQuota('inboxes'),
		endpoints: storedQuota('endpoints'),
		teams: storedQuota('teams'),
		mail: new MailQuota(limits, store),
		deliveries: storedQuota('deliveries'),
	};
}

const counted = ['messages', 'bytes'] as const;

type OfMail = Pick<Usage, (typeof counted)[number]>;
type MailLimits = Readonly<Record<(typeof counted)[number], Limit>>;

/**
 * Keeps mail within its two limits, as a `StoredQuota` does within one: of messages by their weight, and of bytes. Each
 * recipient asks, so both share one look at what is stored.
 */
class MailQuota {
	readonly #limits: MailLimits;
	readonly #store: Pick<Store, 'usage'>;
	readonly #held = {messages: new Tally(), bytes: new Tally()};

	constructor(limits: MailLimits, store: Pick<Store, 'usage'>) {
		this.#limits = limits;
		this.#store = store;
	}

	/** Throws `limit_reached` when the user can have no mail more, however small. */
	async assertRoom(userId: string): Promise<void> {
		await this.#assertWithin(userId, 1);
	}

	/** Keeps room for a mail until the result is called, when it is stored or will not be. Throws `limit_reached`. */
	async reserve(userId: string, weight: number, bytes: number): Promise<() => void> {
		const releases = [this.#held.messages.add(userId, weight), this.#held.bytes.add(userId, bytes)];
		const release = () => {
			for (const releaseOne of releases) {
				releaseOne();
			}
		};
		try {
			await this.#assertWithin(userId, 0);
		} catch (error) {
			release();
			throw error;
		}

		return release;
	}

	/** For the store, in the commit of the mail: other nodes may store some at the same moment. */
	readonly check: CheckUsage = (_, usage, inAll) => this.#assertBelow(usage, inAll);

	/** `more`: of each, than is stored and held. */
	async #assertWithin(userId: string, more: number): Promise<void> {
		// Read before the store is: what others store meanwhile is in one of the two.
		const {messages, bytes} = this.#held;
		const held = {messages: messages.of(userId) + more, bytes: bytes.of(userId) + more};
		const heldInAll = {messages: messages.total + more, bytes: bytes.total + more};
		const stored = await this.#store.usage(userId);
		const storedInAll = await this.#store.usage();
		this.#assertBelow(sum(stored, held), sum(storedInAll, heldInAll));
	}

	#assertBelow(ofUser: OfMail, inAll: OfMail): void {
		for (const name of counted) {
			const refusal = refusalBeyond(this.#limits[name], ofUser[name], inAll[name]);
			if (refusal) {
				throw refusal;
			}
		}
	}
}

function sum(a: OfMail, b: OfMail): OfMail {
	return {messages: a.messages + b.messages, bytes: a.bytes + b.bytes};
}

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
function refusalBeyond(limit: Limit, ofUser: number, ofAll: number): AppError | undefined {
	const {things, perUser, inAll, show, makeRoom, more} = limit;
	if (ofUser > perUser) {
		return beyondLimit(`Each user can have at most ${show(perUser)} ${things}.`, makeRoom, {more});
	}

	return ofAll > inAll
		? beyondLimit(`All users together can have at most ${show(inAll)} ${things}.`, makeRoom, {more})
		: undefined;
}

/** Counts by user and in all; users of whom there is nothing take no memory. */
class Tally {
	readonly #ofUser = new Map<string, number>();
	#total = 0;

	get total(): number {
		return this.#total;
	}

	of(userId: string): number {
		return this.#ofUser.get(userId) ?? 0;
	}

	/** The result takes it back, once. */
	add(userId: string, amount: number): () => void {
		this.#change(userId, amount);
		let isThere = true;
		return () => {
			if (isThere) {
				isThere = false;
				this.#change(userId, -amount);
			}
		};
	}

	#change(userId: string, amount: number): void {
		this.#total += amount;
		const count = this.of(userId) + amount;
		if (count === 0) {
			this.#ofUser.delete(userId);
		} else {
			this.#ofUser.set(userId, count);
		}
	}
}
