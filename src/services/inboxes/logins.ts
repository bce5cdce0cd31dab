import {derivePassword, hashSecret, sendKeyOf} from '../../domain/accounts/secrets.js';
import type {Team} from '../../domain/accounts/team.js';
import type {User} from '../../domain/accounts/user.js';
import {found} from '../../domain/errors.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import {type Inbox, isExpired} from '../../domain/mail/inbox.js';
import {RateWindow} from '../../lib/queue/rate-window.js';
import type {Store} from '../../store/port.js';
import type {Inboxes} from './inboxes.js';

/** What is taken from who sends as an inbox. */
export type InboxCredentials = {
	readonly username: string;
	readonly password: string;
	/** The same for sending APIs, which take one text. */
	readonly sendKey: string;
};

/** Whether a client has shown that it knows this password: challenges have it kept to themselves. */
export type PasswordCheck = (password: string) => boolean;

type InboxLoginsOptions = {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	/** Of this daemon: all passwords are derived from it. */
	readonly secret: string;
	readonly now: () => Date;
};

/**
 * The credentials by which SMTP and the sending APIs know for which inbox a mail is. Passwords are derived and stored nowhere; one holds until it
 * is rotated, the inbox changes its team, or somebody leaves that.
 */
export class InboxLogins {
	readonly #store: Pick<Store, 'inboxes' | 'teams'>;
	readonly #options: InboxLoginsOptions;

	/** For as long as inbox and team stay as they are: an app may log in for each of its mails. */
	readonly #derived = new WeakMap<Inbox, {readonly team: Team | undefined; readonly credentials: InboxCredentials}>();

	constructor(store: Pick<Store, 'inboxes' | 'teams'>, options: InboxLoginsOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Throws `not_found` unless the user may see the inbox. */
	async credentials(user: User, name: string): Promise<InboxCredentials> {
		return this.credentialsOf(await this.#options.inboxes.visible(user, name));
	}

	/** The new credentials; the old ones are good no more. Throws as `credentials`. */
	async rotate(user: User, name: string): Promise<InboxCredentials> {
		const {id} = await this.#options.inboxes.visible(user, name);
		return this.credentialsOf(found(await this.#store.inboxes.rotate(id), `There is no inbox "${name}".`));
	}

	async credentialsOf(inbox: Inbox): Promise<InboxCredentials> {
		const {id, teamId, generation = 0} = inbox;
		const team = teamId === null ? undefined : await this.#store.teams.get(teamId);
		const known = this.#derived.get(inbox);
		if (known && known.team === team) {
			return known.credentials;
		}

		const scope = team ? [team.id, team.generation ?? 0] : [];
		const password = derivePassword(this.#options.secret, id, generation, ...scope);
		const credentials = {username: id, password, sendKey: sendKeyOf(id, password)};
		this.#derived.set(inbox, {team, credentials});
		return credentials;
	}

	/** The inbox with this id or address, if the proof fits it. */
	async inboxOf(username: string, proof: PasswordCheck): Promise<Inbox | undefined> {
		const inbox = await this.named(username);
		return inbox && proof((await this.credentialsOf(inbox)).password) ? inbox : undefined;
	}

	/** Finds the inbox with this id or address. */
	async named(username: string): Promise<Inbox | undefined> {
		const {inboxes} = this.#store;
		const inbox = await (username.includes('@') ? inboxes.byClaim(canonicalAddress(username)) : inboxes.get(username));
		return inbox && !isExpired(inbox, this.#options.now()) ? inbox : undefined;
	}
}

/** Failed logins per address before further ones are rejected, and addresses that are remembered. */
const failureLimit = {limit: 10, windowMs: 60_000, maxKeys: 10_000};

/**
 * Recent failed logins by client address. Above the limit, users that failed are rejected without a check, and further failures are
 * reported as too many. Other users of the address can still log in, because all clients of a machine share one address.
 */
export class FailedLogins {
	/** The values are hashes of the user names. */
	readonly #failures = new RateWindow<string>(failureLimit);
	readonly #now: () => Date;

	constructor(now: () => Date) {
		this.#now = now;
	}

	/** True if the user is rejected without a check of its credentials. */
	turnsAway(host: string, user: string): boolean {
		const now = this.#now().getTime();
		return this.#failures.isFull(host, now) && this.#failures.values(host, now).includes(hashSecret(user));
	}

	/** Counts a failure; true if the address had too many before. */
	add(host: string, user: string): boolean {
		return this.#failures.add(host, hashSecret(user), this.#now().getTime()) > 0;
	}
}
