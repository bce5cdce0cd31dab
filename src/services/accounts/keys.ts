import {v7 as createId} from 'uuid';
import {keyPrefixLength} from '../../contract/constants.js';
import {planLimits, withinPlan} from '../../domain/accounts/plan.js';
import {generateKey, hashSecret} from '../../domain/accounts/secrets.js';
import type {ApiKey, User} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';

const creationRate = {count: 10, windowMs: 60_000};

/** A new key, and the only sight of the raw one. */
export type CreatedKey = {readonly key: ApiKey; readonly raw: string};

/** The id of the one key that was given; a further one replaces it. */
const givenKeyId = '00000000-0000-7000-8000-000000000000';

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
		const raw = generateKey();
		const key = this.#keyOf(user, name, raw, createId());
		const limit = planLimits[user.plan].keys;
		if ((await this.list(user)).length < limit) {
			await this.#takeTurn(user, key.createdAt);
		}

		await withinPlan(this.#store.keys.create(key, limit), user.plan, 'keys');
		return {key, raw};
	}

	/**
	 * Gives the user a key known beforehand, whatever the plan allows, in place of the one that was given so before. False
	 * when it is a key that another user made.
	 */
	async give(user: User, raw: string): Promise<boolean> {
		const known = await this.#store.keys.byHash(hashSecret(raw));
		if (known && known.userId !== user.id && known.id !== givenKeyId) {
			return false;
		}

		if (known?.userId !== user.id) {
			await this.#store.keys.create(
				this.#keyOf(user, 'Set at daemon start', raw, givenKeyId),
				Number.POSITIVE_INFINITY,
			);
		} else if (known.id !== givenKeyId) {
			await this.#store.keys.delete(user.id, givenKeyId);
		}

		return true;
	}

	async list(user: User): Promise<readonly ApiKey[]> {
		return this.#store.keys.list(user.id);
	}

	/** Ends the key for good. Throws `not_found`, for other people's keys, too. */
	async revoke(user: User, id: string): Promise<void> {
		found(await this.#store.keys.delete(user.id, id), `You have no API key "${id}".`);
		await this.#feed.publish([{type: 'scope', userIds: [user.id]}]);
	}

	#keyOf({id: userId}: User, name: string, raw: string, id: string): ApiKey {
		return {
			id,
			userId,
			name,
			prefix: raw.slice(0, keyPrefixLength),
			hash: hashSecret(raw),
			createdAt: this.#now().toISOString(),
			lastUsedAt: null,
		};
	}

	/** Only creations take a turn: whoever is at the limit of the plan is told so, not to wait. */
	async #takeTurn(user: User, at: string): Promise<void> {
		const waitMs = await this.#store.rates.take(`keys:${user.id}`, at, creationRate);
		if (waitMs > 0) {
			const retryAfter = Math.ceil(waitMs / 1000);
			throw new AppError(
				'rate_limited',
				`At most ${creationRate.count} API keys can be created per minute. Try again in ${retryAfter} s.`,
				{retryAfter},
			);
		}
	}
}
