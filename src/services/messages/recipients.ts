import {AppError, found} from '../../domain/errors.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Quotas} from '../quotas.js';
import type {DeliveryPlanner} from '../webhooks/delivery-planner.js';

/** Reason for rejecting mail of a login whose inbox was deleted. */
export const goneInbox = 'The inbox of this login was deleted.';

/** Maximum number of webhook deliveries of a mail to several inboxes: they are stored in its commit. */
const maxDeliveries = 1000;

type RecipientsOptions = {
	readonly inboxes: Pick<Inboxes, 'resolve' | 'unexpired'>;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly deliveryPlanner: Pick<DeliveryPlanner, 'count'>;
};

/** Inbox that receives a mail, the first recipient that leads to it, and all of them. */
export type RecipientInbox = {readonly inbox: Inbox; readonly to: string; readonly recipients: readonly string[]};

/** Recipients of a mail that were accepted so far. */
type AcceptedRecipients = {
	readonly first: Inbox;
	/** Inboxes by recipient. */
	readonly inboxes: Map<string, Inbox>;
	/** Number of expected webhook deliveries; undefined as long as there is one inbox. */
	deliveries: number | undefined;
};

/** Recipients of a mail that is about to be stored. */
type AddressedMail = {
	readonly envelope: {readonly to: readonly string[]};
	/** Result of `inboxesFor`; the envelope is resolved if it is absent. */
	readonly recipients?: readonly RecipientInbox[] | undefined;
	readonly inboxId?: string | undefined;
};

/** Resolves the recipients of mails to inboxes: once, when they are named, and checks them again before the commit. */
export class Recipients {
	readonly #options: RecipientsOptions;
	readonly #accepted = new WeakMap<object, AcceptedRecipients>();

	constructor(options: RecipientsOptions) {
		this.#options = options;
	}

	/**
	 * Accepts one recipient of a mail. `mail` is any object that stands for the mail; `inboxId` is the inbox of the login.
	 * Returns false if no inbox has the address, and `later` if it must go in another mail, because this one has too many
	 * webhook deliveries. Throws `limit_reached` if the owner's mail quota is used up, `not_found` if the inbox of the login was
	 * deleted.
	 */
	async accept(address: string, mail: object, inboxId?: string): Promise<boolean | 'later'> {
		const {inboxes, quotas} = this.#options;
		const inbox = (await this.#inboxOfLogin(inboxId)) ?? (await inboxes.resolve(address));
		if (!inbox) {
			return false;
		}

		await quotas.mail.assertRoom(inbox.ownerId);
		return (await this.#add(inbox, address, mail)) || 'later';
	}

	/** The inboxes that these recipients of the mail were accepted for, without duplicates. */
	inboxesFor(addresses: readonly string[], mail: object): readonly RecipientInbox[] {
		const inboxes = this.#accepted.get(mail)?.inboxes;
		return byInbox(addresses.map(address => [address, inboxes?.get(address)]));
	}

	/** Resolves recipients without accepting them, without duplicate inboxes. Throws `not_found` like `accept`. */
	async resolve(addresses: readonly string[], inboxId?: string): Promise<readonly RecipientInbox[]> {
		const login = await this.#inboxOfLogin(inboxId);
		const resolved: Array<readonly [string, Inbox | undefined]> = [];
		for (const address of addresses) {
			resolved.push([address, login ?? (await this.#options.inboxes.resolve(address))]);
		}

		return byInbox(resolved);
	}

	/**
	 * Reads the inboxes of accepted recipients again, since a mail may take minutes to arrive. If one was deleted or expired, the
	 * envelope is resolved anew. Throws `not_found` like `accept`.
	 */
	async recheck({envelope, recipients, inboxId}: AddressedMail): Promise<readonly RecipientInbox[]> {
		if (recipients === undefined) {
			return this.resolve(envelope.to, inboxId);
		}

		await this.#inboxOfLogin(inboxId);
		const rechecked: RecipientInbox[] = [];
		for (const recipient of recipients) {
			const inbox = await this.#options.inboxes.unexpired(recipient.inbox.id);
			if (!inbox) {
				return this.resolve(envelope.to, inboxId);
			}

			rechecked.push({...recipient, inbox});
		}

		return rechecked;
	}

	/** Inbox that receives all mail of its login; undefined if the recipients decide. */
	async #inboxOfLogin(inboxId: string | undefined): Promise<Inbox | undefined> {
		if (inboxId === undefined) {
			return undefined;
		}

		const inbox = found(await this.#options.inboxes.unexpired(inboxId), goneInbox);
		return inbox.routing === 'recipients' ? undefined : inbox;
	}

	async #add(inbox: Inbox, address: string, mail: object): Promise<boolean> {
		const {deliveryPlanner} = this.#options;
		const accepted = this.#accepted.get(mail);
		if (!accepted) {
			this.#accepted.set(mail, {first: inbox, inboxes: new Map([[address, inbox]]), deliveries: undefined});
			return true;
		}

		if (![...accepted.inboxes.values()].some(({id}) => id === inbox.id)) {
			accepted.deliveries ??= await deliveryPlanner.count(accepted.first);
			const deliveries = accepted.deliveries + (await deliveryPlanner.count(inbox));
			if (deliveries > maxDeliveries) {
				return false;
			}

			accepted.deliveries = deliveries;
		}

		accepted.inboxes.set(address, inbox);
		return true;
	}
}

/** Throws `limit_reached` if a mail to several inboxes has too many deliveries, because webhooks were added meanwhile. */
export function assertDeliveriesFit(inboxes: number, deliveries: number): void {
	if (inboxes > 1 && deliveries > maxDeliveries) {
		throw new AppError(
			'limit_reached',
			'Too many webhook deliveries for this mail. Send it to fewer recipients at a time.',
		);
	}
}

function byInbox(resolved: ReadonlyArray<readonly [string, Inbox | undefined]>): readonly RecipientInbox[] {
	const inboxes = new Map<string, RecipientInbox & {readonly recipients: string[]}>();
	for (const [to, inbox] of resolved) {
		if (inbox) {
			const known = inboxes.get(inbox.id);
			known?.recipients.push(to);
			inboxes.set(inbox.id, known ?? {inbox, to, recipients: [to]});
		}
	}

	return [...inboxes.values()];
}
