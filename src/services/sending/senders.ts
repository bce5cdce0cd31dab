import {hashSecret, isSameSecret, looksLikeOwnSecret, readSendKey} from '../../domain/accounts/secrets.js';
import {SendError} from '../../domain/mail/sending.js';
import {clientAt} from '../../lib/io/hosts.js';
import {shortCopy} from '../../lib/text/sanitize.js';
import {FailedLogins, type InboxLogins} from '../inboxes/logins.js';

/** Caller of a sending API. */
export type Sender = {
	/** Inbox of the key; undefined if the recipients determine the inboxes. */
	readonly inboxId: string | undefined;
	/** User in the session of the mail: the inbox, or the beginning of another key that is no credential of a daemon. */
	readonly user: string;
	/** Key of the sender in fair queues. */
	readonly owner: string;
	readonly keyHash: string;
};

type SendersOptions = {
	readonly logins: Pick<InboxLogins, 'inboxOf'>;
	/** `any`: keys without an inbox are accepted, too. */
	readonly keyPolicy: 'any' | 'inbox';
	readonly now: () => Date;
};

/** Number of characters that are shown of a key without an inbox. */
const shownOfKey = 12;

/** Shown in place of a key that has the form of a credential of a daemon. */
const hiddenKey = '(hidden)';

/** `Retry-After` in seconds after too many failures. */
const retryAfter = 60;

/** Identifies senders by the key of a request. */
export class Senders {
	readonly #options: SendersOptions;
	readonly #failed: FailedLogins;

	constructor(options: SendersOptions) {
		this.#options = options;
		this.#failed = new FailedLogins(options.now);
	}

	/** Identifies the sender. Throws `SendError`: `no_key`, `wrong_key`, or `rate_limited` after too many wrong keys from `host`. */
	async identify(key: string | undefined, host: string): Promise<Sender> {
		if (key === undefined || key === '') {
			throw new SendError({type: 'no_key'});
		}

		const own = readSendKey(key);
		if (!own && this.#options.keyPolicy === 'any') {
			const user = looksLikeOwnSecret(key) ? hiddenKey : shortCopy(key, shownOfKey + 1);
			return {inboxId: undefined, user, owner: clientAt(host), keyHash: hashSecret(key)};
		}

		const {inbox: name, password} = own ?? {inbox: '', password: ''};
		const inbox =
			name === '' ? undefined : await this.#options.logins.inboxOf(name, right => isSameSecret(password, right));
		if (!inbox) {
			throw new SendError(this.#failed.add(host) ? {type: 'rate_limited', retryAfter} : {type: 'wrong_key'});
		}

		return {inboxId: inbox.id, user: inbox.id, owner: inbox.ownerId, keyHash: hashSecret(key)};
	}
}
