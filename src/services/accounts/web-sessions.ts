import {v7 as createId} from 'uuid';
import {createSecret, hashSecret, webSessionSecret} from '../../domain/accounts/secrets.js';
import type {User, WebSession} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Credentials} from './credentials.js';
import {assertRate} from './keys.js';
import {type SealedLink, SealedLinks} from './sealed-links.js';

const lifetimeMs = 12 * 3_600_000;

const linkLifetimeS = 60;

/** Maximum number of sessions per user; a further one ends the oldest. */
const maxOfUser = 50;

const creationRate = {count: 60, windowMs: 60_000, action: 'web sessions can be opened'};

/** Finds the operating-system user of the client; undefined if unknown. */
type FindPeer = () => Promise<number | 'closed' | undefined>;

/** Credential that opens a web session. */
export type LoginMethod =
	| {readonly link: string; readonly peer: FindPeer}
	| {readonly key: string}
	| {readonly token: string};

/** New web session with both halves of its secret: one for the cookie, one that the page keeps. They cannot be read again. */
type OpenedWebSession = {
	readonly user: User;
	readonly session: WebSession;
	readonly cookie: string;
	readonly appKey: string;
};

/** Content of a link. */
type SessionLink = {
	/** Id of the session that it opens, which makes it single-use. */
	readonly id: string;
	/** Hash of the API key that created the link. */
	readonly keyHash: string;
	/** Operating-system user who created it; empty if unknown. */
	readonly peer: string;
};

/** Owner and expiry of a session to open. */
type Admitted = Pick<WebSession, 'userId' | 'keyId' | 'expiresAt'> & {readonly id?: string};

type WebSessionsOptions = ExpiryOptions & {
	readonly credentials: Pick<Credentials, 'keyHolder' | 'tokenHolder'>;
	/** Secret of the tokens of users. */
	readonly secret: string;
};

type SessionStore = Pick<Store, 'webSessions' | 'keys' | 'users' | 'rates'>;

/** Browser sessions of the web page. A session ends with the API key that opened it, and with its user. */
export class WebSessions {
	readonly #store: SessionStore;
	readonly #options: WebSessionsOptions;
	readonly #links: SealedLinks<SessionLink>;
	/** Deletes what has expired. */
	readonly expiry: Expiry;

	constructor(store: SessionStore, options: WebSessionsOptions) {
		this.#store = store;
		this.#options = options;
		this.#links = new SealedLinks(options.secret, 'web session links', options.now);
		this.expiry = new Expiry(
			{
				things: 'web sessions',
				next: async () => store.webSessions.nextExpiry(),
				deleteExpired: async now => {
					const expired = await store.webSessions.deleteExpired(now);
					const userIds = [...new Set(expired.filter(({isEnded}) => !isEnded).map(({userId}) => userId))];
					return userIds.length > 0 ? [{type: 'scope', userIds}] : [];
				},
			},
			options,
		);
	}

	/**
	 * Creates a link that opens one session, once. It is visible in the process list, as an argument of the program that opens the
	 * browser, so only the operating-system user who created it may use it. Throws `forbidden` unless `keyHash` is of an API key.
	 */
	async createLink(keyHash: string, peer: FindPeer): Promise<SealedLink> {
		if (!(await this.#store.keys.byHash(keyHash))) {
			throw new AppError(
				'forbidden',
				'A web session cannot create another web session. Log in with an API key or a token.',
			);
		}

		return this.#links.seal({id: createId(), keyHash, peer: String((await peer()) ?? '')}, linkLifetimeS);
	}

	/** User of the session that `open` would open. Throws `unauthorized`. */
	async userOf(method: LoginMethod): Promise<User> {
		const {userId} = await this.#admit(method);
		const user = await this.#store.users.get(userId);
		if (!user) {
			throw invalidLink();
		}

		return user;
	}

	/** Opens a session. Throws `unauthorized`, also for a used link, and `rate_limited`. */
	async open(method: LoginMethod): Promise<OpenedWebSession> {
		const {id = createId(), userId, keyId, expiresAt} = await this.#admit(method);
		const user = await this.#store.users.get(userId);
		if (!user) {
			throw invalidLink();
		}

		const createdAt = this.#now();
		// A link is used up before the rate is counted: others may know a used link, and must not use up the rate of its user.
		const isLink = 'link' in method;
		const takeRate = async () => assertRate(this.#store.rates, `web sessions:${userId}`, createdAt, creationRate);
		if (!isLink) {
			await takeRate();
		}

		const [cookie, appKey] = [createSecret(), createSecret()];
		const hash = hashSecret(webSessionSecret(cookie, appKey));
		const session = {id, userId, keyId, hash, createdAt, expiresAt, lastUsedAt: null, isEnded: false};
		if (!(await this.#store.webSessions.create(session, maxOfUser))) {
			throw invalidLink();
		}

		if (isLink) {
			await takeRate().catch(async error => {
				await this.#store.webSessions.endSession(userId, id, createdAt);
				throw error;
			});
		}

		this.expiry.schedule(expiresAt);
		return {user, session, cookie, appKey};
	}

	async list(user: User): Promise<readonly WebSession[]> {
		const now = this.#now();
		return (await this.#store.webSessions.list(user.id)).filter(({expiresAt}) => expiresAt > now);
	}

	/** Ends a session. Throws `not_found`, also for sessions of other users. */
	async end(user: User, id: string): Promise<void> {
		found(await this.#store.webSessions.endSession(user.id, id, this.#now()), `You have no web session "${id}".`);
		await this.#options.feed.publish([{type: 'scope', userIds: [user.id]}]);
	}

	async #admit(method: LoginMethod): Promise<Admitted> {
		const {credentials} = this.#options;
		const expiresAt = new Date(this.#options.now().getTime() + lifetimeMs).toISOString();
		if ('key' in method) {
			const {key} = await credentials.keyHolder(method.key);
			return {userId: key.userId, keyId: key.id, expiresAt};
		}

		if ('token' in method) {
			const {user, expiresAt: tokenExpiresAt} = await credentials.tokenHolder(method.token);
			return {userId: user.id, keyId: null, expiresAt: tokenExpiresAt < expiresAt ? tokenExpiresAt : expiresAt};
		}

		const link = await this.#links.read(method.link);
		const key = link && (await this.#store.keys.byHash(link.keyHash));
		if (!key) {
			throw invalidLink();
		}

		if (isOtherUser(link.peer, await method.peer())) {
			throw new AppError(
				'unauthorized',
				'This link belongs to another user of this machine. Create your own: tinbox open',
			);
		}

		return {id: link.id, userId: key.userId, keyId: key.id, expiresAt};
	}

	#now(): string {
		return this.#options.now().toISOString();
	}
}

/**
 * True if another operating-system user opens the link, or one that cannot be known because the connection is closed. Root may
 * always do so, and forwards connections of others.
 */
function isOtherUser(maker: string, peer: Awaited<ReturnType<FindPeer>>): boolean {
	return maker !== '' && peer !== undefined && peer !== 0 && String(peer) !== maker;
}

function invalidLink(): AppError {
	return new AppError('unauthorized', 'This link has expired or was already used. Create a new one: tinbox open');
}
