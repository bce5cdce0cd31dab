import {AppError, found} from '../../domain/errors.js';
import {hashSecret, looksLikeKey, matchesHash} from '../../domain/secret.js';
import type {User} from '../../domain/user.js';
import type {Store} from '../../store/store.js';
import {type IssuedToken, invalidToken, Tokens} from './tokens.js';
import {noUser} from './users.js';

/** How long a use may stay in memory only. */
const flushAfterMs = 5000;

export type CredentialsOptions = {
	/** Opens the operations on users; made by `createSecret`. */
	readonly operatorToken: string;
	/** Signs the tokens of users; made by `createSecret`. */
	readonly tokenSecret: string;
	readonly now: () => Date;
};

/** Says who is calling. No call waits for the disk, so that each request can ask anew and a revocation holds at once. */
export class Credentials {
	readonly #store: Pick<Store, 'keys' | 'users'>;
	readonly #operatorHash: string;
	readonly #now: () => Date;
	readonly #tokens: Tokens;
	/** When keys were used since the last write, by their ids. */
	#uses = new Map<string, string>();
	#timer: NodeJS.Timeout | undefined;

	constructor(store: Pick<Store, 'keys' | 'users'>, {operatorToken, tokenSecret, now}: CredentialsOptions) {
		this.#store = store;
		this.#operatorHash = hashSecret(operatorToken);
		this.#now = now;
		this.#tokens = new Tokens(tokenSecret, now);
	}

	/** The owner of an API key, whose use is noted. Throws `unauthorized`. */
	async byKey(raw: string): Promise<User> {
		const key = looksLikeKey(raw) ? await this.#store.keys.byHash(hashSecret(raw)) : undefined;
		const user = key && matchesHash(raw, key.hash) ? await this.#store.users.get(key.userId) : undefined;
		if (!(key && user)) {
			throw new AppError('unauthorized', 'The API key is unknown or was revoked. Create a new one.');
		}

		this.#uses.set(key.id, this.#now().toISOString());
		this.#timer ??= setTimeout(() => void this.#writeUses(), flushAfterMs).unref();
		return user;
	}

	/** The owner of the key with this hash, as he is by now; undefined once it was revoked. This is no use of the key. */
	async holder(keyHash: string): Promise<User | undefined> {
		const key = await this.#store.keys.byHash(keyHash);
		return key && this.#store.users.get(key.userId);
	}

	/** The user that a token was issued to. Throws `unauthorized`, also when the user was deleted since. */
	async byToken(token: string): Promise<User> {
		const user = await this.#store.users.get(await this.#tokens.verify(token));
		if (!user) {
			throw invalidToken();
		}

		return user;
	}

	isOperator(token: string): boolean {
		return matchesHash(token, this.#operatorHash);
	}

	/** Throws `not_found` when there is no such user. */
	async issueToken(userId: string, seconds: number): Promise<IssuedToken> {
		return this.#tokens.issue(found(await this.#store.users.get(userId), noUser(userId)), seconds);
	}

	/** Writes down the last uses of keys. */
	async stop(): Promise<void> {
		await this.#writeUses();
	}

	/** Those of some seconds together. Never rejects: losing a date is better than failing what the user asked for. */
	async #writeUses(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const uses = this.#uses;
		this.#uses = new Map();
		if (uses.size > 0) {
			await this.#store.keys.touch(uses).catch(() => {
				this.#uses = new Map([...uses, ...this.#uses]);
			});
		}
	}
}
