import {AppError} from '../../domain/errors.js';
import type {Inbox} from '../../domain/inbox.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Quotas} from '../limits/quotas.js';
import type {Announcements} from '../webhooks/announcements.js';

/** Deliveries that announce one mail at most, unless its first inbox has more: they are stored with it, in one commit. */
const maxAnnouncements = 1000;

export type RecipientsOptions = {
	readonly inboxes: Inboxes;
	readonly quotas: Pick<Quotas, 'messages' | 'bytes'>;
	readonly announcements: Announcements;
};

/** The inboxes of a mail so far, and how many deliveries will announce it; undefined as long as there is one inbox. */
type Reached = {readonly first: Inbox; readonly inboxIds: Set<string>; announcements: number | undefined};

/** Whom mail can go to, while its recipients are named one after the other. */
export class Recipients {
	readonly #options: RecipientsOptions;
	readonly #reached = new WeakMap<object, Reached>();

	constructor(options: RecipientsOptions) {
		this.#options = options;
	}

	/**
	 * Whether some inbox takes mail for the address; `later` when it does, but not together with the others that were taken
	 * for this mail. Throws `limit_reached` when its owner has no room for any.
	 */
	async accept(address: string, mail: object): Promise<boolean | 'later'> {
		const {inboxes, quotas} = this.#options;
		const inbox = await inboxes.resolve(address);
		if (!inbox) {
			return false;
		}

		await quotas.messages.assertRoom(inbox.ownerId, 1);
		await quotas.bytes.assertRoom(inbox.ownerId, 1);
		return (await this.#add(inbox, mail)) || 'later';
	}

	async #add(inbox: Inbox, mail: object): Promise<boolean> {
		const {announcements} = this.#options;
		const reached = this.#reached.get(mail);
		if (!reached) {
			this.#reached.set(mail, {first: inbox, inboxIds: new Set([inbox.id]), announcements: undefined});
			return true;
		}

		if (!reached.inboxIds.has(inbox.id)) {
			reached.announcements ??= await announcements.count(reached.first);
			const together = reached.announcements + (await announcements.count(inbox));
			if (together > maxAnnouncements) {
				return false;
			}

			reached.announcements = together;
			reached.inboxIds.add(inbox.id);
		}

		return true;
	}
}

/** Throws `limit_reached` when webhooks were added since the recipients were named, so that too many deliveries announce the mail. */
export function assertTogether(inboxes: number, announcements: number): void {
	if (inboxes > 1 && announcements > maxAnnouncements) {
		throw new AppError('limit_reached', 'Too many webhooks announce this mail. Send it to fewer recipients at a time.');
	}
}
