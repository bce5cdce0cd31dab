import {canonicalAddress, untagged} from '../../../domain/address.js';
import type {Inbox} from '../../../domain/inbox.js';
import type {DoubleClaim} from '../../store.js';
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

	/** Who has the canonical claim, oldest first: one at most, unless an older version let in others beside it. */
	holders(claim: string): readonly Inbox[] {
		return this.#holders.all(claim);
	}

	/** The claims to one address that an older version let in side by side. */
	*doubled(): Generator<DoubleClaim> {
		for (const [address, [first, ...later]] of this.#holders.entries()) {
			if (first) {
				yield* later.map(second => ({address, first, second}));
				const base = untagged(address);
				const whole = base === null ? undefined : this.#holders.get(base);
				if (whole && whole.ownerId !== first.ownerId) {
					const isFirst = first.createdAt < whole.createdAt;
					yield isFirst ? {address, first, second: whole} : {address, first: whole, second: first};
				}
			}
		}
	}

	/** Whether the inbox would claim what is another one's, or what goes with an address of another user. */
	isTaken(inbox: Inbox): boolean {
		const claim = canonicalAddress(inbox.address);
		const base = untagged(claim);
		return (
			this.holders(claim).length > 0 ||
			this.#tagged.of(claim) > this.#taggedOfOwner.of(ownKey(inbox, claim)) ||
			(base !== null && this.holders(base).some(({ownerId}) => ownerId !== inbox.ownerId))
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
