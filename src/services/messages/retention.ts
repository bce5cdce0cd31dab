import {expiryOf, type Inbox, type Retention, retentionOf} from '../../domain/mail/inbox.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';

type MailRetentionOptions = ExpiryOptions & {
	/** Retention of inboxes without their own. */
	readonly defaultRetention: Retention;
};

/** Evicts messages whose retention ended. The commit of a new mail evicts what exceeds a count. */
export class MailRetention implements Part {
	readonly name = 'mail retention';
	readonly #options: MailRetentionOptions;
	readonly #expiry: Expiry;

	constructor({messages}: Pick<Store, 'messages'>, options: MailRetentionOptions) {
		this.#options = options;
		this.#expiry = new Expiry(
			{
				things: 'messages',
				next: async () => messages.nextEviction(),
				deleteExpired: async now => messages.evict(now),
			},
			options,
		);
	}

	/** Starts evicting in the background, as there may be very many messages. */
	async start(): Promise<void> {
		this.#expiry.schedule(this.#options.now().toISOString());
	}

	async stop(): Promise<void> {
		await this.#expiry.stop();
	}

	/** Schedules the eviction of mail that the inbox receives now. */
	schedule(inbox: Inbox): void {
		const {defaultRetention, now} = this.#options;
		const expiry = expiryOf(now().toISOString(), retentionOf(inbox, defaultRetention));
		if (expiry !== undefined) {
			this.#expiry.schedule(expiry);
		}
	}

	/** Evicts everything whose retention ended. */
	async evictDue(): Promise<void> {
		await this.#expiry.deleteDue();
	}
}
