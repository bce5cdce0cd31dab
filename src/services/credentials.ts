import {looksLikeKey} from '../domain/api-key.js';
import {AppError} from '../domain/errors.js';
import {hashSecret, matchesHash} from '../domain/secret.js';
import type {User} from '../domain/user.js';
import type {Store} from '../store/store.js';
import {KeyUses} from './key-uses.js';
import {type IssuedToken, invalidToken, Tokens} from './tokens.js';
import {unknownUser} from './users.js';

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
	readonly #uses: KeyUses;

	constructor(store: Pick<Store, 'keys' | 'users'>, {operatorToken, tokenSecret, now}: CredentialsOptions) {
		this.#store = store;
		this.#operatorHash = hashSecret(operatorToken);
		this.#now = now;
		this.#tokens = new Tokens(tokenSecret, now);
		this.#uses = new KeyUses(store);
	}

	/** The owner of an API key, whose use is noted. Throws `unauthorized`. */
	async byKey(raw: string): Promise<User> {
		const key = looksLikeKey(raw) ? await this.#store.keys.byHash(hashSecret(raw)) : undefined;
		const user = key && matchesHash(raw, key.hash) ? await this.#store.users.get(key.userId) : undefined;
		if (!(key && user)) {
			throw new AppError('unauthorized', 'The API key is unknown or was revoked. Create a new one.');
		}

		this.#uses.note(key.id, this.#now().toISOString());
		return user;
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
		const user = await this.#store.users.get(userId);
		if (!user) {
			throw unknownUser(userId);
		}

		return this.#tokens.issue(user, seconds);
	}

	/** Writes down the last uses of keys. */
	async stop(): Promise<void> {
		await this.#uses.flush();
	}
}
