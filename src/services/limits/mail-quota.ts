import type {Store} from '../../store/store.js';
import type {CheckUsage, Usage} from '../../store/usage.js';
import {type Limit, refusalBeyond} from './quota.js';
import {Tally} from './tally.js';

const counted = ['messages', 'bytes'] as const;

type OfMail = Pick<Usage, (typeof counted)[number]>;
type MailLimits = Readonly<Record<(typeof counted)[number], Limit>>;

/**
 * Keeps mail within its two limits, as a `StoredQuota` does within one: of messages by their weight, and of bytes. Each
 * recipient asks, so both share one look at what is stored.
 */
export class MailQuota {
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
