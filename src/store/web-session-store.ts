import type {WebSession} from '../domain/accounts/user.js';

export interface WebSessionStore {
	/**
	 * False when there was a session with this id before. The user's oldest are ended, at `session.createdAt`, so that no more
	 * than `limit` are left. Throws `not_found` when the user or the key is gone.
	 */
	create(session: WebSession, limit: number): Promise<boolean>;
	/** One that was not ended, but may have expired. */
	byHash(hash: string): Promise<WebSession | undefined>;
	/** Those of the user that were not ended, but may have expired. */
	list(userId: string): Promise<readonly WebSession[]>;
	/** Ends the session if it is the user's, and was not ended before. */
	end(userId: string, id: string, at: string): Promise<boolean>;
	/** Notes when sessions were last used; unknown ids are passed over. */
	touch(uses: ReadonlyMap<string, string>): Promise<void>;
	/** Deletes some of those that are over at `now`, the first first, and resolves to them. There are more while `nextExpiry` is no later. */
	deleteExpired(now: string): Promise<readonly WebSession[]>;
	/** When the next of all expires; undefined when there is none. */
	nextExpiry(): Promise<string | undefined>;
}
