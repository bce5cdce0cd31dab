import {v7 as createId} from 'uuid';
import {createSecret, hashSecret, webSessionSecret} from '../../domain/accounts/secrets.js';
import type {User, WebSession} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Credentials} from './credentials.js';
import {type SealedLink, SealedLinks} from './sealed-links.js';

const lifetimeMs = 12 * 3_600_000;

const linkLifetimeS = 60;

/** How many a user may have; a further one ends the oldest. */
const maxOfUser = 50;

const creationRate = {count: 60, windowMs: 60_000};

/** The id of the user of this machine who asks; undefined where nobody can tell. */
export type FindPeer = () => Promise<number | undefined>;

/** What opens a web session. */
export type LoginMethod =
	| {readonly link: string; readonly peer: FindPeer}
	| {readonly key: string}
	| {readonly token: string};

/** A new web session, and the only sight of its secret: the half for the cookie, and the one that the page keeps. */
export type OpenedWebSession = {
	readonly user: User;
	readonly session: WebSession;
	readonly cookie: string;
	readonly appKey: string;
};

/** What a link says. */
type SessionLink = {
	/** The id of the session that it makes, so that it makes one only. */
	readonly id: string;
	/** Of the API key that the link was made with. */
	readonly keyHash: string;
	/** The user of this machine who made it; empty where nobody can tell. */
	readonly peer: string;
};

/** Who may have a session, and for how long. */
type Admitted = Pick<WebSession, 'userId' | 'keyId' | 'expiresAt'> & {readonly id?: string};

export type WebSessionsOptions = ExpiryOptions & {
	readonly credentials: Pick<Credentials, 'keyHolder' | 'tokenHolder'>;
	/** That of the tokens of users. */
	readonly secret: string;
};

type SessionStore = Pick<Store, 'webSessions' | 'keys' | 'users' | 'rates'>;

/** The browsers that are logged in to the web app. A session ends with the API key that made it, and with its user. */
export class WebSessions {
	readonly #store: SessionStore;
	readonly #options: WebSessionsOptions;
	readonly #links: SealedLinks<SessionLink>;
	readonly #expiry: Expiry;

	constructor(store: SessionStore, options: WebSessionsOptions) {
		this.#store = store;
		this.#options = options;
		this.#links = new SealedLinks(options.secret, 'web session links', options.now);
		this.#expiry = new Expiry(
			{
				things: 'web sessions',
				next: async () => store.webSessions.nextExpiry(),
				deleteOver: async now => {
					const gone = await store.webSessions.deleteExpired(now);
					const userIds = [...new Set(gone.filter(({isEnded}) => !isEnded).map(({userId}) => userId))];
					return userIds.length > 0 ? [{type: 'scope', userIds}] : [];
				},
			},
			options,
		);
	}

	async start(): Promise<void> {
		await this.#expiry.sweep();
	}

	async stop(): Promise<void> {
		this.#expiry.stop();
	}

	/**
	 * A link that opens one session, once. It will be seen among the processes of this machine, as what opens browsers has it for
	 * an argument: so it is for the user there who made it. `keyHash` is that of the API key by which the user came; throws
	 * `forbidden` for others.
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

	/** Throws `unauthorized`, also for a link that was used before, and `rate_limited`. */
	async open(entrance: LoginMethod): Promise<OpenedWebSession> {
		const {id = createId(), userId, keyId, expiresAt} = await this.#admit(entrance);
		const user = await this.#store.users.get(userId);
		if (!user) {
			throw wrongLink();
		}

		const createdAt = this.#now();
		await this.#takeTurn(userId, createdAt);
		const [cookie, appKey] = [createSecret(), createSecret()];
		const hash = hashSecret(webSessionSecret(cookie, appKey));
		const session = {id, userId, keyId, hash, createdAt, expiresAt, lastUsedAt: null, isEnded: false};
		if (!(await this.#store.webSessions.create(session, maxOfUser))) {
			throw wrongLink();
		}

		this.#expiry.expect(expiresAt);
		return {user, session, cookie, appKey};
	}

	async list(user: User): Promise<readonly WebSession[]> {
		const now = this.#now();
		return (await this.#store.webSessions.list(user.id)).filter(({expiresAt}) => expiresAt > now);
	}

	/** Throws `not_found`, for other people's sessions, too. */
	async end(user: User, id: string): Promise<void> {
		found(await this.#store.webSessions.end(user.id, id, this.#now()), `You have no web session "${id}".`);
		await this.#options.feed.publish([{type: 'scope', userIds: [user.id]}]);
	}

	async #admit(entrance: LoginMethod): Promise<Admitted> {
		const {credentials} = this.#options;
		const expiresAt = new Date(this.#options.now().getTime() + lifetimeMs).toISOString();
		if ('key' in entrance) {
			const {key} = await credentials.keyHolder(entrance.key);
			return {userId: key.userId, keyId: key.id, expiresAt};
		}

		if ('token' in entrance) {
			const {user, expiresAt: over} = await credentials.tokenHolder(entrance.token);
			return {userId: user.id, keyId: null, expiresAt: over < expiresAt ? over : expiresAt};
		}

		const link = await this.#links.read(entrance.link);
		const key = link && (await this.#store.keys.byHash(link.keyHash));
		if (!key) {
			throw wrongLink();
		}

		if (isForAnother(link.peer, await entrance.peer())) {
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

	async #takeTurn(userId: string, at: string): Promise<void> {
		const waitMs = await this.#store.rates.take(`web sessions:${userId}`, at, creationRate);
		if (waitMs > 0) {
			const retryAfter = Math.ceil(waitMs / 1000);
			const allowed = `At most ${creationRate.count} web sessions can be opened per minute.`;
			throw new AppError('rate_limited', `${allowed} Try again in ${retryAfter} s.`, {retryAfter});
		}
	}
}

/** Root may do everything anyway, and has others' connections where it forwards them. */
function isForAnother(maker: string, peer: number | undefined): boolean {
	return maker !== '' && peer !== undefined && peer !== 0 && String(peer) !== maker;
}

function wrongLink(): AppError {
	return new AppError('unauthorized', 'This link has expired or was already used. Create a new one: tinbox open');
}
