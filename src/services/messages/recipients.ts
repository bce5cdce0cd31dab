import {AppError, found} from '../../domain/errors.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import type {CheckUsage} from '../../store/port.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Quotas} from '../quotas.js';
import type {Announcements} from '../webhooks/announcements.js';

/** Why an inbox takes no mail any more of who logged in as it. */
export const goneInbox = 'The inbox of this login was deleted.';

/** Deliveries that announce one mail at most, unless its first inbox has more: they are stored with it, in one commit. */
const maxAnnouncements = 1000;

export type RecipientsOptions = {
	readonly inboxes: Inboxes;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly announcements: Announcements;
};

/** An inbox that a mail reached, the first recipient that led there, and all that did. */
export type Reached = {readonly inbox: Inbox; readonly to: string; readonly recipients: readonly string[]};

/** A mail, and what a message of it takes of its owner's room. */
type WeighedMail = {readonly reached: readonly Reached[]; readonly weight: number; readonly size: number};

/** The inboxes of a mail so far. */
type Named = {
	readonly first: Inbox;
	/** By recipient. */
	readonly inboxIds: Map<string, string>;
	/** How many deliveries will announce it; undefined as long as there is one inbox. */
	announcements: number | undefined;
};

/** Whom mail can go to, while its recipients are named one after the other. */
export class Recipients {
	readonly #options: RecipientsOptions;
	readonly #named = new WeakMap<object, Named>();

	constructor(options: RecipientsOptions) {
		this.#options = options;
	}

	/**
	 * Whether some inbox takes mail for the address; `later` when it does, but not together with the others that were taken
	 * for this mail. Throws `limit_reached` when its owner has no room for any, and `not_found` when the inbox is gone that the
	 * sender logged in as.
	 */
	async accept(address: string, mail: object, inboxId?: string): Promise<boolean | 'later'> {
		const {inboxes, quotas} = this.#options;
		const inbox = (inboxId !== undefined && (await this.#ofLogin(inboxId))) || (await inboxes.resolve(address));
		if (!inbox) {
			return false;
		}

		await quotas.mail.assertRoom(inbox.ownerId);
		return (await this.#add(inbox, address, mail)) || 'later';
	}

	/** Each inbox once, however many recipients lead to it: the first one counts. Throws as `accept`. */
	async reached(recipients: readonly string[], inboxId?: string): Promise<readonly Reached[]> {
		const own = inboxId !== undefined && (await this.#ofLogin(inboxId));
		if (own) {
			return recipients.slice(0, 1).map(to => ({inbox: own, to, recipients}));
		}

		const reached = new Map<string, Reached & {readonly recipients: string[]}>();
		for (const to of recipients) {
			const inbox = await this.#options.inboxes.resolve(to);
			if (inbox) {
				const others = reached.get(inbox.id);
				others?.recipients.push(to);
				reached.set(inbox.id, others ?? {inbox, to, recipients: [to]});
			}
		}

		return [...reached.values()];
	}

	/** The ids of the inboxes that these recipients of the mail were accepted for, each once. */
	inboxIds(recipients: readonly string[], mail: object): readonly string[] {
		const ids = this.#named.get(mail)?.inboxIds;
		return [...new Set(recipients.map(address => ids?.get(address)).filter(id => id !== undefined))];
	}

	/** Does what keeps mails, each as a message more in each of its inboxes. Throws `limit_reached`. */
	async withinQuotas(mails: readonly WeighedMail[], keep: (check: CheckUsage) => Promise<void>): Promise<void> {
		const releases: (() => void)[] = [];
		try {
			for (const [ownerId, {weight, size}] of sumsOf(mails)) {
				releases.push(await this.#options.quotas.mail.reserve(ownerId, weight, size));
			}

			await keep(this.#options.quotas.mail.check);
		} finally {
			for (const release of releases) {
				release();
			}
		}
	}

	/** The inbox that takes all mail of who logged in as it; undefined where the recipients tell. */
	async #ofLogin(inboxId: string): Promise<Inbox | undefined> {
		const inbox = found(await this.#options.inboxes.there(inboxId), goneInbox);
		return inbox.routing === 'recipients' ? undefined : inbox;
	}

	async #add(inbox: Inbox, address: string, mail: object): Promise<boolean> {
		const {announcements} = this.#options;
		const named = this.#named.get(mail);
		if (!named) {
			this.#named.set(mail, {first: inbox, inboxIds: new Map([[address, inbox.id]]), announcements: undefined});
			return true;
		}

		if (![...named.inboxIds.values()].includes(inbox.id)) {
			named.announcements ??= await announcements.count(named.first);
			const together = named.announcements + (await announcements.count(inbox));
			if (together > maxAnnouncements) {
				return false;
			}

			named.announcements = together;
		}

		named.inboxIds.set(address, inbox.id);
		return true;
	}
}

/** What each owner gets. */
function sumsOf(mails: readonly WeighedMail[]): ReadonlyMap<string, Pick<WeighedMail, 'weight' | 'size'>> {
	const sums = new Map<string, Pick<WeighedMail, 'weight' | 'size'>>();
	for (const {reached, weight, size} of mails) {
		for (const {inbox} of reached) {
			const sum = sums.get(inbox.ownerId) ?? {weight: 0, size: 0};
			sums.set(inbox.ownerId, {weight: sum.weight + weight, size: sum.size + size});
		}
	}

	return sums;
}

/** Throws `limit_reached` when webhooks were added since the recipients were named, so that too many deliveries announce the mail. */
export function assertTogether(inboxes: number, announcements: number): void {
	if (inboxes > 1 && announcements > maxAnnouncements) {
		throw new AppError(
			'limit_reached',
			'Too many webhook deliveries for this mail. Send it to fewer recipients at a time.',
		);
	}
}
