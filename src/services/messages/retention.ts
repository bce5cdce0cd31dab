import {endOfKeeping, type Inbox, type Keeping, keepingOf} from '../../domain/mail/inbox.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';

export type MailRetentionOptions = ExpiryOptions & {
	/** What inboxes keep that say nothing themselves. */
	readonly byDefault: Keeping;
};

/** Takes away what inboxes keep no longer, but for what goes in the commit of a new mail. */
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
				deleteOver: async now => messages.evict(now),
			},
			options,
		);
	}

	/** There may be very much to take away, which nobody is to wait for. */
	async start(): Promise<void> {
		this.#expiry.expect(this.#options.now().toISOString());
	}

	async stop(): Promise<void> {
		this.#expiry.stop();
	}

	/** Takes note of mail that comes to the inbox. */
	expect(inbox: Inbox): void {
		const {byDefault, now} = this.#options;
		const end = endOfKeeping(now().toISOString(), keepingOf(inbox, byDefault));
		if (end !== undefined) {
			this.#expiry.expect(end);
		}
	}

	/** Makes sure that nothing is there any more that is not to be. */
	async settle(): Promise<void> {
		await this.#expiry.settle();
	}
}
