import {type AppError, beyondLimit} from '../domain/errors.js';
import type {CheckUsage, Store, Usage} from '../store/port.js';

const held = ['polls', 'streams'] as const;
const stored = ['inboxes', 'endpoints', 'teams', 'deliveries'] as const satisfies readonly (keyof Usage)[];

/** Limit of everything that is counted by user. */
export type UserLimits = Readonly<Record<(typeof held)[number] | keyof Usage, Limit>>;

/** Quotas by limit. Message count and bytes share one, as they are checked together. */
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

type MailUsage = Pick<Usage, (typeof counted)[number]>;
type MailLimits = Readonly<Record<(typeof counted)[number], Limit>>;

/**
 * Limits mail by the weight of messages and by bytes. It is checked for each recipient, so both limits share one read of the
 * usage.
 */
class MailQuota {
	readonly #limits: MailLimits;
	readonly #store: Pick<Store, 'usage'>;
	readonly #held = {messages: new Tally(), bytes: new Tally()};

	constructor(limits: MailLimits, store: Pick<Store, 'usage'>) {
		this.#limits = limits;
		this.#store = store;
	}

	/** Throws `limit_reached` if there is no room for any further mail. */
	async assertRoom(userId: string): Promise<void> {
		await this.#assertWithin(userId, 1);
	}

	/** Reserves room for a mail until the returned function is called. Throws `limit_reached`. */
	async reserve(userId: string, weight: number, bytes: number): Promise<() => void> {
		const release = releaseAll([this.#held.messages.add(userId, weight), this.#held.bytes.add(userId, bytes)]);
		try {
			await this.#assertWithin(userId, 0);
		} catch (error) {
			release();
			throw error;
		}

		return release;
	}

	/** Check for the commit of the mail, as other nodes may store mail concurrently. */
	readonly check: CheckUsage = (_, usage, totalUsage) => this.#assertBelow(usage, totalUsage);

	/** `more`: amount of each in addition to what is stored and reserved. */
	async #assertWithin(userId: string, more: number): Promise<void> {
		// Reservations are read before the store: concurrent writes are then in one of the two.
		const {messages, bytes} = this.#held;
		const held = {messages: messages.of(userId) + more, bytes: bytes.of(userId) + more};
		const heldTotal = {messages: messages.total + more, bytes: bytes.total + more};
		const stored = await this.#store.usage(userId);
		const storedTotal = await this.#store.usage();
		this.#assertBelow(sum(stored, held), sum(storedTotal, heldTotal));
	}

	#assertBelow(userAmount: MailUsage, totalUsage: MailUsage): void {
		for (const name of counted) {
			const refusal = refusalBeyond(this.#limits[name], userAmount[name], totalUsage[name]);
			if (refusal) {
				throw refusal;
			}
		}
	}
}

function sum(a: MailUsage, b: MailUsage): MailUsage {
	return {messages: a.messages + b.messages, bytes: a.bytes + b.bytes};
}

/** Maximum amount of something, per user and in total. */
export type Limit = {
	/** Plural noun, as in "open polls". */
	readonly noun: string;
	readonly perUser: number;
	readonly total: number;
	/** Formats an amount. */
	readonly format: (amount: number) => string;
	/** Advice that frees room, as in "Delete some". */
	readonly freeAdvice: string;
	/** Advice that raises the limit, as in "a larger --max-polls". */
	readonly raiseAdvice: string;
};

/** Limits things that exist for a while, such as open polls. */
export class Quota {
	readonly #limit: Limit;
	readonly #held = new Tally();

	constructor(limit: Limit) {
		this.#limit = limit;
	}

	/** Counts one more until the returned function is called. Throws `limit_reached`. */
	hold(userId: string): () => void {
		const refusal = refusalBeyond(this.#limit, this.#held.of(userId) + 1, this.#held.total + 1);
		if (refusal) {
			throw refusal;
		}

		return this.#held.add(userId, 1);
	}

	/** Current amount. */
	get held(): number {
		return this.#held.total;
	}
}

/** Result of a reservation. */
export type Reserved = {
	/** Reserved amount, at most the requested one. */
	readonly amount: number;
	/** Error that explains a smaller amount than requested. */
	readonly refusal: AppError | undefined;
	/** Must be called when everything was stored, or will not be. */
	readonly release: () => void;
};

/** Limits stored things. Reservations count as well, so that concurrent writes cannot exceed the limit together. */
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
	 * Runs `work`, which stores an amount, within the limit. It gets a check for the store, as other nodes may write concurrently.
	 * Throws `limit_reached`, and the errors of `work`.
	 */
	async add<T>(userId: string, amount: number, work: (check: CheckUsage) => Promise<T>): Promise<T> {
		const {refusal, release} = await this.reserve(userId, amount);
		try {
			if (refusal) {
				throw refusal;
			}

			return await work((_, usage, totalUsage) => {
				const beyond = refusalBeyond(this.#limit, usage[this.#name], totalUsage[this.#name]);
				if (beyond) {
					throw beyond;
				}
			});
		} finally {
			release();
		}
	}

	/** Reserves an amount, or as much of it as there is room for. Concurrent reservations count in full. */
	async reserve(userId: string, wanted: number): Promise<Reserved> {
		const release = this.#held.add(userId, wanted);
		// Reservations are read before the store: concurrent writes are then in one of the two.
		const [held, heldTotal] = [this.#held.of(userId), this.#held.total];
		try {
			const [usage, totalUsage] = await Promise.all([this.#store.usage(userId), this.#store.usage()]);
			const [stored, storedTotal] = [usage[this.#name], totalUsage[this.#name]];
			const {perUser, total} = this.#limit;
			const [userAmount, totalAmount] = [stored + held, storedTotal + heldTotal];
			const beyond = Math.max(0, userAmount - perUser, totalAmount - total);
			return {
				amount: Math.max(0, wanted - beyond),
				refusal: refusalBeyond(this.#limit, userAmount, totalAmount),
				release,
			};
		} catch (error) {
			release();
			throw error;
		}
	}
}

/** Combines functions that release reservations. Later additions to the list count, too. */
export function releaseAll(releases: ReadonlyArray<() => void>): () => void {
	return () => {
		for (const release of releases) {
			release();
		}
	};
}

/** Error for amounts beyond the limit; undefined if they are within it. */
function refusalBeyond(limit: Limit, userAmount: number, totalAmount: number): AppError | undefined {
	const {noun, perUser, total, format, freeAdvice, raiseAdvice} = limit;
	if (userAmount > perUser) {
		return beyondLimit(`Each user can have at most ${format(perUser)} ${noun}.`, freeAdvice, {raiseAdvice});
	}

	return totalAmount > total
		? beyondLimit(`All users together can have at most ${format(total)} ${noun}.`, freeAdvice, {raiseAdvice})
		: undefined;
}

/** Counter per user and in total. Users with a count of zero take no memory. */
class Tally {
	readonly #ofUser = new Map<string, number>();
	#total = 0;

	get total(): number {
		return this.#total;
	}

	of(userId: string): number {
		return this.#ofUser.get(userId) ?? 0;
	}

	/** Returns a function that subtracts the amount again, once. */
	add(userId: string, amount: number): () => void {
		this.#change(userId, amount);
		let isReserved = true;
		return () => {
			if (isReserved) {
				isReserved = false;
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
