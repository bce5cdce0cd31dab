import type {User} from '../../domain/accounts/user.js';
import {AppError} from '../../domain/errors.js';
import type {Credentials} from '../accounts/credentials.js';
import {type SealedLink, SealedLinks} from '../accounts/sealed-links.js';
import type {Messages} from './messages.js';

/** Lifetime of a link. */
const lifetimeS = 10 * 60;

/** Content of a link. */
type PreviewLink = {
	/** Hash of the API key or web session that created it. */
	readonly keyHash: string;
	readonly inboxId: string;
	readonly messageId: string;
};

type PreviewsOptions = {
	readonly credentials: Pick<Credentials, 'holder'>;
	/** Secret of the tokens of users. */
	readonly secret: string;
	readonly now: () => Date;
};

/**
 * Links that open one message in a browser, which has no API key. They are valid for some minutes, but not longer than the key or
 * web session that created them, and show only what the user can see at that time.
 */
export class Previews {
	readonly #messages: Pick<Messages, 'get'>;
	readonly #credentials: Pick<Credentials, 'holder'>;
	readonly #links: SealedLinks<PreviewLink>;

	constructor(messages: Pick<Messages, 'get'>, {credentials, secret, now}: PreviewsOptions) {
		this.#messages = messages;
		this.#credentials = credentials;
		this.#links = new SealedLinks(secret, 'preview links', now);
	}

	/** Creates a link. `keyHash` is of the API key or web session of the request. Throws like `Messages.get`. */
	async create(user: User, keyHash: string, inboxName: string, messageName: string): Promise<SealedLink> {
		const {inboxId, id: messageId} = await this.#messages.get(user, inboxName, messageName);
		return this.#links.seal({keyHash, inboxId, messageId}, lifetimeS);
	}

	/** Arguments of the methods of `Messages` that name the message, on behalf of the user who created the link. Throws `not_found` for an invalid link. */
	async open(token: string): Promise<readonly [user: User, inboxId: string, messageId: string]> {
		const link = await this.#links.read(token);
		const user = link && (await this.#credentials.holder(link.keyHash));
		if (!user) {
			throw new AppError('not_found', 'This link has expired. Create a new one: tinbox messages open');
		}

		return [user, link.inboxId, link.messageId];
	}
}
