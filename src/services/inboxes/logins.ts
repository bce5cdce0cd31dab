import {derivePassword, hashSecret, sendKeyOf} from '../../domain/accounts/secrets.js';
import type {Team} from '../../domain/accounts/team.js';
import type {User} from '../../domain/accounts/user.js';
import {found} from '../../domain/errors.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import {type Inbox, isExpired} from '../../domain/mail/inbox.js';
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

/** Failures that one address may have in so many milliseconds. */
const most = {failures: 10, inMs: 60_000};

/** Addresses that are remembered, those that failed last. */
const maxHosts = 10_000;

type Failure = {readonly at: number; readonly user: string};

/**
 * Logins that failed of late, by client address. Where there were too many, users that failed are turned away unheard, and
 * others that fail as well. All clients of a machine have one address: whoever is right, and was so before, is let in.
 */
export class FailedLogins {
	readonly #byHost = new Map<string, readonly Failure[]>();
	readonly #now: () => Date;

	constructor(now: () => Date) {
		this.#now = now;
	}

	/** Whether the user is to be turned away without a look at the credentials. */
	turnsAway(host: string, user: string): boolean {
		const failures = this.#recent(host);
		return failures.length >= most.failures && failures.some(failure => failure.user === hashSecret(user));
	}

	/** Notes one more; whether it is one too many. */
	add(host: string, user: string): boolean {
		const failures = this.#recent(host);
		const isTooMany = failures.length >= most.failures;
		this.#byHost.delete(host);
		this.#byHost.set(host, [...failures, {at: this.#now().getTime(), user: hashSecret(user)}].slice(-most.failures));
		if (this.#byHost.size > maxHosts) {
			this.#byHost.delete(this.#byHost.keys().next().value ?? '');
		}

		return isTooMany;
	}

	#recent(host: string): readonly Failure[] {
		const since = this.#now().getTime() - most.inMs;
		return (this.#byHost.get(host) ?? []).filter(({at}) => at > since);
	}
}
