import type {User} from '../../domain/accounts/user.js';
import {AppError} from '../../domain/errors.js';
import type {Message} from '../../domain/mail/message.js';
import type {ByteRange} from '../../store/port.js';
import type {Credentials} from '../accounts/credentials.js';
import {type SealedLink, SealedLinks} from '../accounts/sealed-links.js';
import type {ReadMessage} from './contents.js';
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

/** Valid link with its user. */
type OpenLink = Pick<PreviewLink, 'inboxId' | 'messageId'> & {readonly user: User};

export type PreviewsOptions = {
	readonly credentials: Pick<Credentials, 'holder'>;
	/** Secret of the tokens of users. */
	readonly secret: string;
	readonly now: () => Date;
};

/**
 * Links that open one message in a browser, which has no API key. They are valid for some minutes, but not longer than the key or
 * web session that created them, and show only what the user can see at that time. Otherwise methods throw `not_found`.
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

	/** Creates a link. `keyHash` is of the API key or web session of the request. Throws like `Messages.get`. */
	async create(user: User, keyHash: string, inboxName: string, messageName: string): Promise<SealedLink> {
		const {inboxId, id: messageId} = await this.#messages.get(user, inboxName, messageName);
		return this.#links.seal({keyHash, inboxId, messageId}, lifetimeS);
	}

	/** Id of the user who created the link. */
	async ownerOf(token: string): Promise<string> {
		return (await this.#open(token)).user.id;
	}

	async message(token: string): Promise<Message> {
		const {user, inboxId, messageId} = await this.#open(token);
		return this.#messages.get(user, inboxId, messageId);
	}

	async read(token: string): Promise<ReadMessage> {
		const {user, inboxId, messageId} = await this.#open(token);
		return this.#messages.read(user, inboxId, messageId);
	}

	/** HTML of the message as a document for a sandbox. */
	async document(token: string): Promise<Uint8Array> {
		const {user, inboxId, messageId} = await this.#open(token);
		return this.#messages.document(user, inboxId, messageId);
	}

	/** Source of the message. */
	async raw(token: string, range: ByteRange): Promise<Buffer> {
		const {user, inboxId, messageId} = await this.#open(token);
		return this.#messages.raw(user, inboxId, messageId, range);
	}

	async attachment(token: string, attachmentId: string): ReturnType<Messages['attachment']> {
		const {user, inboxId, messageId} = await this.#open(token);
		return this.#messages.attachment(user, inboxId, messageId, attachmentId);
	}

	async #open(token: string): Promise<OpenLink> {
		const link = await this.#links.read(token);
		const user = link && (await this.#credentials.holder(link.keyHash));
		if (!user) {
			throw new AppError('not_found', 'This link has expired. Create a new one: tinbox messages open');
		}

		return {...link, user};
	}
}
