import {randomBytes} from 'node:crypto';
import {AppError} from '../../domain/errors.js';
import type {Message} from '../../domain/message.js';
import type {User} from '../../domain/user.js';
import type {ByteRange} from '../../store/store.js';
import type {Credentials} from '../accounts/credentials.js';
import type {Quota} from '../limits/quota.js';
import type {ReadMessage} from './contents.js';
import type {Messages} from './messages.js';

/** How long a link opens its message. */
const lifetimeMs = 10 * 60_000;

type Link = {
	/** Of the API key that it was made with. */
	readonly keyHash: string;
	readonly inboxId: string;
	readonly messageId: string;
	readonly expiresAt: Date;
	readonly release: () => void;
};

/** A link that is good, and its user as he is by now. */
type OpenLink = Pick<Link, 'inboxId' | 'messageId'> & {readonly user: User};

export type PreviewsOptions = {
	readonly credentials: Pick<Credentials, 'holder'>;
	readonly quota: Quota;
	readonly now: () => Date;
};

export type NewPreview = {readonly token: string; readonly expiresAt: Date};

/**
 * Links that open one message each for a browser, which has no API key. They live for some minutes and in memory only, no
 * longer than the key that made them, and show no more than its user may see at that moment. Everything else is `not_found`.
 */
export class Previews {
	readonly #messages: Messages;
	readonly #credentials: Pick<Credentials, 'holder'>;
	readonly #quota: Quota;
	readonly #now: () => Date;
	readonly #links = new Map<string, Link>();

	constructor(messages: Messages, {credentials, quota, now}: PreviewsOptions) {
		this.#messages = messages;
		this.#credentials = credentials;
		this.#quota = quota;
		this.#now = now;
	}

	/** `keyHash` is that of the key by which the user came. Throws `limit_reached` when he has too many that still work. */
	async create(user: User, keyHash: string, inboxName: string, messageName: string): Promise<NewPreview> {
		const {inboxId, id: messageId} = await this.#messages.get(user, inboxName, messageName);
		this.#forgetExpired();
		const release = this.#quota.hold(user.id);
		const token = randomBytes(24).toString('base64url');
		const expiresAt = new Date(this.#now().getTime() + lifetimeMs);
		this.#links.set(token, {keyHash, inboxId, messageId, expiresAt, release});
		return {token, expiresAt};
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
		this.#forgetExpired();
		const link = this.#links.get(token);
		const user = link && (await this.#credentials.holder(link.keyHash));
		if (!(link && user)) {
			throw new AppError('not_found', 'This link has expired. Make a new one with: tinbox messages open');
		}

		return {...link, user};
	}

	/** All live equally long, so that the oldest come first. */
	#forgetExpired(): void {
		for (const [token, {expiresAt, release}] of this.#links) {
			if (expiresAt > this.#now()) {
				return;
			}

			this.#links.delete(token);
			release();
		}
	}
}
