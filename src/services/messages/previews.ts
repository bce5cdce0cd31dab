import type {User} from '../../domain/accounts/user.js';
import {AppError} from '../../domain/errors.js';
import type {Message} from '../../domain/mail/message.js';
import type {ByteRange} from '../../store/port.js';
import type {Credentials} from '../accounts/credentials.js';
import {type SealedLink, SealedLinks} from '../accounts/sealed-links.js';
import type {ReadMessage} from './contents.js';
import type {Messages} from './messages.js';

/** How long a link opens its message. */
const lifetimeS = 10 * 60;

/** What a link says. */
type PreviewLink = {
	/** Of the API key or the web session that it was made with. */
	readonly keyHash: string;
	readonly inboxId: string;
	readonly messageId: string;
};

/** A link that is good, and its user as he is by now. */
type OpenLink = Pick<PreviewLink, 'inboxId' | 'messageId'> & {readonly user: User};

export type PreviewsOptions = {
	readonly credentials: Pick<Credentials, 'holder'>;
	/** That of the tokens of users. */
	readonly secret: string;
	readonly now: () => Date;
};

/**
 * Links that open one message each for a browser, which has no API key. They live for some minutes, no longer than the key
 * or web session that made them, and show no more than its user may see at that moment. Everything else is `not_found`.
 */
export class Previews {
	readonly #messages: Messages;
	readonly #credentials: Pick<Credentials, 'holder'>;
	readonly #links: SealedLinks<PreviewLink>;

	constructor(messages: Messages, {credentials, secret, now}: PreviewsOptions) {
		this.#messages = messages;
		this.#credentials = credentials;
		this.#links = new SealedLinks(secret, 'preview links', now);
	}

	/** `keyHash` is that of the key or session by which the user came. Throws as `Messages.get`. */
	async create(user: User, keyHash: string, inboxName: string, messageName: string): Promise<SealedLink> {
		const {inboxId, id: messageId} = await this.#messages.get(user, inboxName, messageName);
		return this.#links.seal({keyHash, inboxId, messageId}, lifetimeS);
	}

	/** The id of the user who made the link. */
	async ownerOf(token: string): Promise<string> {
		return (await this.#link(token)).user.id;
	}

	async message(token: string): Promise<Message> {
		const {user, inboxId, messageId} = await this.#link(token);
		return this.#messages.get(user, inboxId, messageId);
	}

	async read(token: string): Promise<ReadMessage> {
		const {user, inboxId, messageId} = await this.#link(token);
		return this.#messages.read(user, inboxId, messageId);
	}

	/** The HTML of the message as a document for a sandbox. */
	async document(token: string): Promise<Uint8Array> {
		const {user, inboxId, messageId} = await this.#link(token);
		return this.#messages.document(user, inboxId, messageId);
	}

	/** Bytes of the mail as they came. */
	async raw(token: string, range: ByteRange): Promise<Buffer> {
		const {user, inboxId, messageId} = await this.#link(token);
		return this.#messages.raw(user, inboxId, messageId, range);
	}

	async attachment(token: string, attachmentId: string): ReturnType<Messages['attachment']> {
		const {user, inboxId, messageId} = await this.#link(token);
		return this.#messages.attachment(user, inboxId, messageId, attachmentId);
	}

	async #link(token: string): Promise<OpenLink> {
		const link = await this.#links.read(token);
		const user = link && (await this.#credentials.holder(link.keyHash));
		if (!user) {
			throw new AppError('not_found', 'This link has expired. Create a new one: tinbox messages open');
		}

		return {...link, user};
	}
}
