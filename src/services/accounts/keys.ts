import {v7 as createId} from 'uuid';
import {keyPrefixLength} from '../../contract/constants.js';
import {planLimits, withinPlan} from '../../domain/accounts/plan.js';
import {generateKey, hashSecret} from '../../domain/accounts/secrets.js';
import type {ApiKey, User} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';

const creationRate = {count: 10, windowMs: 60_000, action: 'API keys can be created'};

/** New key. `raw` is not stored and cannot be read again. */
export type CreatedKey = {readonly key: ApiKey; readonly raw: string};

/** Id of the key that is set at daemon start; a further one replaces it. */
const presetKeyId = '00000000-0000-7000-8000-000000000000';

/** API keys of users. */
export class Keys {
	readonly #store: Pick<Store, 'keys' | 'rates'>;
	readonly #feed: Feed;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'keys' | 'rates'>, feed: Feed, now: () => Date) {
		this.#store = store;
		this.#feed = feed;
		this.#now = now;
	}

	/** Creates a key. Throws `plan_limit` and `rate_limited`. */
	async create(user: User, name: string): Promise<CreatedKey> {
		const raw = generateKey();
		const key = this.#keyOf(user, name, raw, createId());
		const limit = planLimits[user.plan].keys;
		// A request over the plan limit does not count towards the rate: `plan_limit` says what to do.
		if ((await this.list(user)).length < limit) {
			await assertRate(this.#store.rates, `keys:${user.id}`, key.createdAt, creationRate);
		}

		await withinPlan(this.#store.keys.create(key, limit), user.plan, 'keys');
		return {key, raw};
	}

	/**
	 * Sets a key that the daemon was started with, regardless of the plan, and replaces the previous one. Returns false if the key
	 * belongs to another user.
	 */
	async give(user: User, raw: string): Promise<boolean> {
		const existing = await this.#store.keys.byHash(hashSecret(raw));
		if (existing && existing.userId !== user.id && existing.id !== presetKeyId) {
			return false;
		}

		if (existing?.userId !== user.id) {
			await this.#store.keys.create(
				this.#keyOf(user, 'Set at daemon start', raw, presetKeyId),
				Number.POSITIVE_INFINITY,
			);
		} else if (existing.id !== presetKeyId) {
			await this.#store.keys.delete(user.id, presetKeyId);
		}

		return true;
	}

	async list(user: User): Promise<readonly ApiKey[]> {
		return this.#store.keys.list(user.id);
	}

	/** Deletes a key. Throws `not_found`, also for keys of other users. */
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
}

type Rate = {
	readonly count: number;
	/** One minute: the error says so. */
	readonly windowMs: number;
	/** Limited action, as in "API keys can be created". */
	readonly action: string;
};

/** Counts an action at a time (ISO 8601). Throws `rate_limited`. */
export async function assertRate(
	rates: Store['rates'],
	key: string,
	at: string,
	{action, ...rate}: Rate,
): Promise<void> {
	const waitMs = await rates.take(key, at, rate);
	if (waitMs > 0) {
		const retryAfter = Math.ceil(waitMs / 1000);
		const detail = `At most ${rate.count} ${action} per minute. Try again in ${retryAfter} s.`;
		throw new AppError('rate_limited', detail, {retryAfter});
	}
}
