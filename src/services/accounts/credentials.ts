import {createSecretKey, type KeyObject} from 'node:crypto';
import {errors, jwtVerify, SignJWT} from 'jose';
import {hashSecret, looksLikeKey, looksLikeWebSession, matchesHash} from '../../domain/accounts/secrets.js';
import type {ApiKey, User, WebSession} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import {noUser} from './users.js';

/** Delay before uses are written, in milliseconds. */
const flushAfterMs = 5000;

type CredentialsOptions = {
	/** Credential of the operations on users, from `createSecret`. */
	readonly operatorToken: string;
	/** Key that signs the tokens of users, from `createSecret`. */
	readonly tokenSecret: string;
	readonly now: () => Date;
};

type CredentialStore = Pick<Store, 'keys' | 'webSessions' | 'users'>;

/** Identifies callers. No call waits for the disk: each request is identified anew, and a revocation is effective at once. */
export class Credentials {
	readonly #store: CredentialStore;
	readonly #operatorHash: string;
	readonly #now: () => Date;
	readonly #tokens: Tokens;
	/** Times of uses since the last write, by id. */
	readonly #uses = {keys: new Map<string, string>(), webSessions: new Map<string, string>()};
	#timer: NodeJS.Timeout | undefined;

	constructor(store: CredentialStore, {operatorToken, tokenSecret, now}: CredentialsOptions) {
		this.#store = store;
		this.#operatorHash = hashSecret(operatorToken);
		this.#now = now;
		this.#tokens = new Tokens(tokenSecret, now);
	}

	/** Finds the owner of an API key or of a web session secret. Throws `unauthorized`. */
	async byKey(raw: string): Promise<User> {
		return (await (looksLikeWebSession(raw) ? this.sessionHolder(raw) : this.keyHolder(raw))).user;
	}

	/** Finds an API key with its owner, and records the use. Throws `unauthorized`. */
	async keyHolder(raw: string): Promise<{readonly user: User; readonly key: ApiKey}> {
		const key = looksLikeKey(raw) ? await this.#store.keys.byHash(hashSecret(raw)) : undefined;
		const user = key && matchesHash(raw, key.hash) ? await this.#store.users.get(key.userId) : undefined;
		if (!(key && user)) {
			throw new AppError('unauthorized', 'The API key is unknown or was revoked. Create a new one.');
		}

		this.#recordUse('keys', key.id);
		return {user, key};
	}

	/** Finds a web session with its owner, and records the use. Throws `unauthorized`. */
	async sessionHolder(secret: string): Promise<{readonly user: User; readonly session: WebSession}> {
		const session = looksLikeWebSession(secret) ? await this.#session(hashSecret(secret)) : undefined;
		const user = session && matchesHash(secret, session.hash) ? await this.#store.users.get(session.userId) : undefined;
		if (!(session && user)) {
			throw new AppError('unauthorized', 'The web session does not exist or has ended. Log in again.');
		}

		this.#recordUse('webSessions', session.id);
		return {user, session};
	}

	/** Finds the owner of the key or web session with this hash, without recording a use. Undefined if it ended. */
	async holder(hash: string): Promise<User | undefined> {
		const credential = (await this.#store.keys.byHash(hash)) ?? (await this.#session(hash));
		return credential && this.#store.users.get(credential.userId);
	}

	/** Finds the user of a token. Throws `unauthorized`, also if the user was deleted. */
	async byToken(token: string): Promise<User> {
		return (await this.tokenHolder(token)).user;
	}

	/** Finds the user of a token and its expiry. Throws `unauthorized`. */
	async tokenHolder(token: string): Promise<{readonly user: User; readonly expiresAt: string}> {
		const {userId, expiresAt} = await this.#tokens.verify(token);
		const user = await this.#store.users.get(userId);
		if (!user) {
			throw invalidToken();
		}

		return {user, expiresAt};
	}

	isOperator(token: string): boolean {
		return matchesHash(token, this.#operatorHash);
	}

	/** Issues a token. Throws `not_found` for an unknown user. */
	async issueToken(userId: string, seconds: number): Promise<IssuedToken> {
		return this.#tokens.issue(found(await this.#store.users.get(userId), noUser(userId)), seconds);
	}

	/** Writes the latest uses. */
	async stop(): Promise<void> {
		await this.#writeUses();
	}

	async #session(hash: string): Promise<WebSession | undefined> {
		const session = await this.#store.webSessions.byHash(hash);
		return session && session.expiresAt > this.#now().toISOString() ? session : undefined;
	}

	#recordUse(noun: 'keys' | 'webSessions', id: string): void {
		this.#uses[noun].set(id, this.#now().toISOString());
		this.#timer ??= setTimeout(() => void this.#writeUses(), flushAfterMs).unref();
	}

	/** Writes the uses of some seconds together. Never rejects: a lost date is better than a failed request. */
	async #writeUses(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		for (const noun of ['keys', 'webSessions'] as const) {
			const uses = this.#uses[noun];
			this.#uses[noun] = new Map();
			if (uses.size > 0) {
				await this.#store[noun].touch(uses).catch(() => {
					this.#uses[noun] = new Map([...uses, ...this.#uses[noun]]);
				});
			}
		}
	}
}

const issuer = 'tinbox';
const audience = 'tinbox';
const algorithm = 'HS256';

/** Tolerated difference of two clocks. */
const clockToleranceS = 30;

const maxTokenLength = 8192;

type IssuedToken = {readonly token: string; readonly expiresAt: string};

/** Issues and verifies the JSON Web Tokens (RFC 7519) of users, as RFC 8725 recommends. */
export class Tokens {
	readonly #key: KeyObject;
	readonly #now: () => Date;

	constructor(secret: string, now: () => Date) {
		this.#key = createSecretKey(Buffer.from(secret));
		this.#now = now;
	}

	async issue({id, email}: User, seconds: number): Promise<IssuedToken> {
		const issuedAt = Math.floor(this.#now().getTime() / 1000);
		const token = await new SignJWT({email})
			.setProtectedHeader({alg: algorithm, typ: 'JWT'})
			.setSubject(id)
			.setIssuer(issuer)
			.setAudience(audience)
			.setIssuedAt(issuedAt)
			.setExpirationTime(issuedAt + seconds)
			.sign(this.#key);
		return {token, expiresAt: new Date((issuedAt + seconds) * 1000).toISOString()};
	}

	/** Verifies a token, and returns its user and expiry. Throws `unauthorized` for anything that `issue` did not make. */
	async verify(token: string): Promise<{readonly userId: string; readonly expiresAt: string}> {
		if (token.length > maxTokenLength || !hasCanonicalSignature(token)) {
			throw invalidToken();
		}

		try {
			const {payload} = await jwtVerify(token, this.#key, {
				algorithms: [algorithm],
				typ: 'JWT',
				issuer,
				audience,
				requiredClaims: ['sub', 'iat', 'exp'],
				clockTolerance: clockToleranceS,
				currentDate: this.#now(),
			});
			const {sub: userId, exp} = payload;
			if (typeof userId === 'string' && exp !== undefined) {
				return {userId, expiresAt: new Date(exp * 1000).toISOString()};
			}
		} catch (error) {
			if (error instanceof errors.JWTExpired) {
				throw new AppError('unauthorized', 'The token has expired. Ask the operator for a new one.');
			}
		}

		throw invalidToken();
	}
}

/** False if the unused bits of the last base64url character are set: otherwise four spellings of a signature were valid. */
function hasCanonicalSignature(token: string): boolean {
	const signature = token.slice(token.lastIndexOf('.') + 1);
	return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function invalidToken(): AppError {
	return new AppError('unauthorized', 'The token is not valid for this daemon. Ask the operator for a new one.');
}
