import {derivePassword, sendKeyOf} from '../../domain/accounts/secrets.js';
import type {Team} from '../../domain/accounts/team.js';
import type {User} from '../../domain/accounts/user.js';
import {found} from '../../domain/errors.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import {type Inbox, isExpired} from '../../domain/mail/inbox.js';
import {clientAt} from '../../lib/io/hosts.js';
import {RateWindow} from '../../lib/queue/rate-window.js';
import type {Store} from '../../store/port.js';
import type {Inboxes} from './inboxes.js';

/** Credentials for sending as an inbox. */
export type InboxCredentials = {
	readonly username: string;
	readonly password: string;
	/** Both in one text, for sending APIs. */
	readonly sendKey: string;
};

/** Checks whether the client knows this password, which a challenge does not transmit. */
export type PasswordCheck = (password: string) => boolean;

type InboxLoginsOptions = {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	/** Secret of this daemon, which all passwords are derived from. */
	readonly secret: string;
	readonly now: () => Date;
};

/**
 * Credentials of inboxes for SMTP and the sending APIs. Passwords are derived and never stored. A password is valid until it is
 * rotated, the inbox moves to another team, or a member leaves the team.
 */
export class InboxLogins {
	readonly #store: Pick<Store, 'inboxes' | 'teams'>;
	readonly #options: InboxLoginsOptions;

	/** Credentials by inbox and team, valid while both are unchanged: an app may log in for each of its mails. */
	readonly #derived = new WeakMap<Inbox, {readonly team: Team | undefined; readonly credentials: InboxCredentials}>();

	constructor(store: Pick<Store, 'inboxes' | 'teams'>, options: InboxLoginsOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Credentials of an inbox. Throws `not_found` unless the user can see it. */
	async credentials(user: User, name: string): Promise<InboxCredentials> {
		return this.credentialsOf(await this.#options.inboxes.visible(user, name));
	}

	/** Replaces the credentials. Throws like `credentials`. */
	async rotate(user: User, name: string): Promise<InboxCredentials> {
		const {id} = await this.#options.inboxes.visible(user, name);
		return this.credentialsOf(found(await this.#store.inboxes.rotate(id, user.id), `There is no inbox "${name}".`));
	}

	async credentialsOf(inbox: Inbox): Promise<InboxCredentials> {
		const {id, teamId, generation} = inbox;
		const team = teamId === null ? undefined : await this.#store.teams.get(teamId);
		const cached = this.#derived.get(inbox);
		if (cached && cached.team === team) {
			return cached.credentials;
		}

		const scope = team ? [team.id, team.generation] : [];
		const password = derivePassword(this.#options.secret, id, generation, ...scope);
		const credentials = {username: id, password, sendKey: sendKeyOf(id, password)};
		this.#derived.set(inbox, {team, credentials});
		return credentials;
	}

	/** Finds the inbox with this id or address, if the client knows its password. */
	async inboxOf(username: string, checkPassword: PasswordCheck): Promise<Inbox | undefined> {
		const inbox = await this.named(username);
		return inbox && checkPassword((await this.credentialsOf(inbox)).password) ? inbox : undefined;
	}

	/** Finds the inbox with this id or address. */
	async named(username: string): Promise<Inbox | undefined> {
		const {inboxes} = this.#store;
		const inbox = await (username.includes('@')
			? inboxes.byAddress(canonicalAddress(username))
			: inboxes.get(username));
		return inbox && !isExpired(inbox, this.#options.now()) ? inbox : undefined;
	}
}

/** Failed logins per address before further ones are reported as too many, and addresses that are remembered. */
const failureLimit = {limit: 10, windowMs: 60_000, maxKeys: 10_000};

/**
 * Recent failed logins by client address. Credentials are compared before the limit is checked: all clients of a machine share
 * one address, so wrong passwords must not lock out a client that has the right one.
 */
export class FailedLogins {
	readonly #failures = new RateWindow(failureLimit);
	readonly #now: () => Date;

	constructor(now: () => Date) {
		this.#now = now;
	}

	/** Counts a failure; true if the address had too many before. */
	add(host: string): boolean {
		return this.#failures.add(clientAt(host), undefined, this.#now().getTime()) > 0;
	}
}
