import {canonicalAddress} from '../../domain/address.js';
import {found} from '../../domain/errors.js';
import {type Inbox, isExpired} from '../../domain/inbox.js';
import {derivePassword, sendKeyOf} from '../../domain/secret.js';
import type {Team} from '../../domain/team.js';
import type {User} from '../../domain/user.js';
import type {Store} from '../../store/store.js';
import type {Inboxes} from './inboxes.js';

/** What is taken from who sends as an inbox. */
export type InboxCredentials = {
	readonly username: string;
	readonly password: string;
	/** The same for sending APIs, which take one text. */
	readonly sendKey: string;
};

/** Whether a client has shown that it knows this password: challenges have it kept to themselves. */
export type Proof = (password: string) => boolean;

export type InboxLoginsOptions = {
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
	async inboxOf(username: string, proof: Proof): Promise<Inbox | undefined> {
		for (const inbox of await this.named(username)) {
			if (proof((await this.credentialsOf(inbox)).password)) {
				return inbox;
			}
		}

		return undefined;
	}

	/** The inboxes with this id or address: two where an older version let in a second claim. */
	async named(username: string): Promise<readonly Inbox[]> {
		const {inboxes} = this.#store;
		const named = username.includes('@')
			? await inboxes.byClaim(canonicalAddress(username))
			: [await inboxes.get(username)];
		return named.filter(inbox => inbox !== undefined).filter(inbox => !isExpired(inbox, this.#options.now()));
	}
}
