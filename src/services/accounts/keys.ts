import {v7 as createId} from 'uuid';
import {keyPrefixLength} from '../../contract/keys.js';
import {AppError, found} from '../../domain/errors.js';
import {planLimits, withinPlan} from '../../domain/plan.js';
import {generateKey, hashSecret} from '../../domain/secret.js';
import type {ApiKey, User} from '../../domain/user.js';
import type {Store} from '../../store/store.js';
import type {Feed} from '../live/feed.js';

const creationRate = {count: 10, windowMs: 60_000};

/** A new key, and the only sight of the raw one. */
export type CreatedKey = {readonly key: ApiKey; readonly raw: string};

/** The API keys of users. */
export class Keys {
	readonly #store: Pick<Store, 'keys' | 'rates'>;
	readonly #feed: Feed;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'keys' | 'rates'>, feed: Feed, now: () => Date) {
		this.#store = store;
		this.#feed = feed;
		this.#now = now;
	}

	/** Throws `plan_limit` and `rate_limited`. */
	async create(user: User, name: string): Promise<CreatedKey> {
		const createdAt = this.#now().toISOString();
		const raw = generateKey();
		const key: ApiKey = {
			id: createId(),
			userId: user.id,
			name,
			prefix: raw.slice(0, keyPrefixLength),
			hash: hashSecret(raw),
			createdAt,
			lastUsedAt: null,
		};
		const limit = planLimits[user.plan].keys;
		if ((await this.list(user)).length < limit) {
			await this.#takeTurn(user, createdAt);
		}

		await withinPlan(this.#store.keys.create(key, limit), user.plan, 'keys');
		return {key, raw};
	}

	async list(user: User): Promise<readonly ApiKey[]> {
		return this.#store.keys.list(user.id);
	}

	/** Ends the key for good. Throws `not_found`, for other people's keys, too. */
	async revoke(user: User, id: string): Promise<void> {
		found(await this.#store.keys.delete(user.id, id), `You have no API key "${id}".`);
		this.#feed.publish([{type: 'scope', userIds: [user.id]}]);
	}

	/** Only creations take a turn: whoever is at the limit of the plan is told so, not to wait. */
	async #takeTurn(user: User, at: string): Promise<void> {
		const waitMs = await this.#store.rates.take(`keys:${user.id}`, at, creationRate);
		if (waitMs > 0) {
			const retryAfter = Math.ceil(waitMs / 1000);
			throw new AppError(
				'rate_limited',
				`At most ${creationRate.count} API keys can be created in a minute. Try again in ${retryAfter} s.`,
				{retryAfter},
			);
		}
	}
}
