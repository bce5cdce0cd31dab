import {randomBytes} from 'node:crypto';
import {AppError} from '../../domain/errors.js';
import type {User} from '../../domain/user.js';
import type {Quota} from '../limits/quota.js';
import type {Messages, ReadMessage} from './messages.js';

/** How long a link opens its message. */
const lifetimeMs = 10 * 60_000;

type Link = {
	readonly user: User;
	readonly inboxId: string;
	readonly messageId: string;
	readonly expiresAt: Date;
	readonly release: () => void;
};

export type NewPreview = {readonly token: string; readonly expiresAt: Date};

/**
 * Links that open one message each for a browser, which has no API key. They live for some minutes and in memory only, and
 * show no more than the user who made them may see at that moment. Everything else is `not_found`.
 */
export class Previews {
	readonly #messages: Messages;
	readonly #quota: Quota;
	readonly #now: () => Date;
	readonly #links = new Map<string, Link>();

	constructor(messages: Messages, quota: Quota, now: () => Date) {
		this.#messages = messages;
		this.#quota = quota;
		this.#now = now;
	}

	/** Throws `limit_reached` when the user has too many that still work. */
	async create(user: User, inboxId: string, messageId: string): Promise<NewPreview> {
		await this.#messages.get(user, inboxId, messageId);
		this.#forgetExpired();
		const release = this.#quota.hold(user.id);
		const token = randomBytes(24).toString('base64url');
		const expiresAt = new Date(this.#now().getTime() + lifetimeMs);
		this.#links.set(token, {user, inboxId, messageId, expiresAt, release});
		return {token, expiresAt};
	}

	/** The id of the user who made the link. */
	ownerOf(token: string): string {
		return this.#link(token).user.id;
	}

	async read(token: string): Promise<ReadMessage> {
		const {user, inboxId, messageId} = this.#link(token);
		return this.#messages.read(user, inboxId, messageId);
	}

	/** The HTML of the message as a document for a sandbox. */
	async document(token: string): Promise<Uint8Array> {
		const {user, inboxId, messageId} = this.#link(token);
		return this.#messages.document(user, inboxId, messageId);
	}

	async attachment(token: string, attachmentId: string): ReturnType<Messages['attachment']> {
		const {user, inboxId, messageId} = this.#link(token);
		return this.#messages.attachment(user, inboxId, messageId, attachmentId);
	}

	#link(token: string): Link {
		this.#forgetExpired();
		const link = this.#links.get(token);
		if (!link) {
			throw new AppError('not_found', 'This link has expired. Make a new one with: tinbox messages open');
		}

		return link;
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
