import {canonicalAddress, untagged} from '../../../domain/mail/address.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {Sums, Unique} from './indexes.js';
import type {Index} from './table.js';

/** What the inboxes claim. An address and its plus addresses (`a@d`, `a+tag@d`) are one user's while `a@d` is claimed. */
export class Claims implements Index<Inbox> {
	readonly #holders = new Unique<Inbox>(({address}) => canonicalAddress(address));
	/** How many plus addresses of an address are claimed, in all and by one user: often very many. */
	readonly #tagged = new Sums<Inbox, string>(inbox => baseOf(inbox, base => [base, 1]));
	readonly #taggedOfOwner = new Sums<Inbox, string>(inbox => baseOf(inbox, base => [ownKey(inbox, base), 1]));

	update(before: Inbox | undefined, after: Inbox | undefined): void {
		for (const index of [this.#holders, this.#tagged, this.#taggedOfOwner]) {
			index.update(before, after);
		}
	}

	/** Finds the inbox with this canonical claim. */
	holder(claim: string): Inbox | undefined {
		return this.#holders.get(claim);
	}

	/** Whether the inbox would claim what is another one's, or what goes with an address of another user. */
	isTaken(inbox: Inbox): boolean {
		const claim = canonicalAddress(inbox.address);
		const base = untagged(claim);
		const whole = base === null ? undefined : this.holder(base);
		return (
			this.holder(claim) !== undefined ||
			this.#tagged.of(claim) > this.#taggedOfOwner.of(ownKey(inbox, claim)) ||
			(whole !== undefined && whole.ownerId !== inbox.ownerId)
		);
	}
}

function baseOf<T>({address}: Inbox, use: (base: string) => T): T | null {
	const base = untagged(canonicalAddress(address));
	return base === null ? null : use(base);
}

function ownKey({ownerId}: Inbox, base: string): string {
	return `${ownerId} ${base}`;
}
