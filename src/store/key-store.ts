import type {ApiKey} from '../domain/accounts/user.js';

export interface KeyStore {
	/** Throws `plan_limit` when the user has `limit` keys already. A key with the same id is replaced, and deleted with its web sessions. */
	create(key: ApiKey, limit: number): Promise<void>;
	byHash(hash: string): Promise<ApiKey | undefined>;
	/** The user's keys. */
	list(userId: string): Promise<readonly ApiKey[]>;
	/** Deletes the key, with its web sessions, if it is the user's. */
	delete(userId: string, id: string): Promise<boolean>;
	/** Notes when keys were last used; unknown ids are passed over. */
	touch(uses: ReadonlyMap<string, string>): Promise<void>;
}

export interface RateStore {
	/**
	 * Takes one of `count` turns per sliding `windowMs` under this name. Resolves to 0 when granted, else to the
	 * milliseconds until a turn is free.
	 */
	take(name: string, at: string, limit: {readonly count: number; readonly windowMs: number}): Promise<number>;
}
