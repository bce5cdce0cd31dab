import {hashSecret, isSameSecret, readSendKey} from '../../domain/accounts/secrets.js';
import {Unsent} from '../../domain/mail/sending.js';
import {shortCopy} from '../../lib/text/sanitize.js';
import {FailedLogins, type InboxLogins} from '../inboxes/logins.js';

/** Who asks for mail to be sent. */
export type Sender = {
	/** The inbox whose key it has; undefined where the recipients tell for whom a mail is. */
	readonly inboxId: string | undefined;
	/** As mail says it: the inbox, or the beginning of another key. */
	readonly user: string;
	/** Whose turns its work takes. */
	readonly owner: string;
	/** Tells its key from others. */
	readonly keyHash: string;
};

export type SendersOptions = {
	readonly logins: Pick<InboxLogins, 'inboxOf'>;
	/** Whether other keys than those of inboxes are taken. */
	readonly others: 'any' | 'inbox';
	readonly now: () => Date;
};

/** Characters that are shown of a key that is no inbox's. */
const shownOfKey = 12;

/** Seconds until somebody who failed too often may try again. */
const retryAfter = 60;

/** Tells who sends by the key of a request. */
export class Senders {
	readonly #options: SendersOptions;
	readonly #failed: FailedLogins;

	constructor(options: SendersOptions) {
		this.#options = options;
		this.#failed = new FailedLogins(options.now);
	}

	/** Throws `Unsent`: `no_key`, `wrong_key`, or `rate_limited` after too many of those. `host` is the address of the client. */
	async identify(key: string | undefined, host: string): Promise<Sender> {
		if (key === undefined || key === '') {
			throw new Unsent({type: 'no_key'});
		}

		const own = readSendKey(key);
		if (!own && this.#options.others === 'any') {
			return {inboxId: undefined, user: shortCopy(key, shownOfKey + 1), owner: host, keyHash: hashSecret(key)};
		}

		const {inbox: name, password} = own ?? {inbox: '', password: ''};
		if (this.#failed.turnsAway(host, key)) {
			throw new Unsent({type: 'rate_limited', retryAfter});
		}

		const inbox =
			name === '' ? undefined : await this.#options.logins.inboxOf(name, right => isSameSecret(password, right));
		if (!inbox) {
			throw new Unsent(this.#failed.add(host, key) ? {type: 'rate_limited', retryAfter} : {type: 'wrong_key'});
		}

		return {inboxId: inbox.id, user: inbox.id, owner: inbox.ownerId, keyHash: hashSecret(key)};
	}
}
