import type {FaultStage} from '../../../contract/constants.js';
import type {ApiKey, WebSession} from '../../../domain/accounts/user.js';
import type {Fault, FaultHit} from '../../../domain/faults/fault.js';
import {canonicalAddress, untagged} from '../../../domain/mail/address.js';
import type {PendingBounce} from '../../../domain/mail/bounce.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {type Receipt, sizeOfReceipt} from '../../../domain/mail/sending.js';
import type {Delivery, Endpoint} from '../../../domain/webhooks/delivery.js';
import type {FaultCountRow, TemplateRow} from '../../dump.js';
import type {InboxScope} from '../../port.js';
import {sizeOfTemplate} from '../../rules/sending.js';
import type {Delete} from './change.js';
import {
	GroupedIds,
	GroupedRows,
	GroupedTimeIndex,
	mergeLatestFirst,
	SumIndex,
	type TimeEntry,
	TimeIndex,
	UniqueIndex,
} from './indexes.js';
import type {RowIndex} from './table.js';

/** API keys and web sessions. */
export class KeyIndexes {
	readonly ofHash = new UniqueIndex<ApiKey>(key => key.hash);
	readonly ofUser = new GroupedIds<ApiKey>(key => [key.userId]);
	readonly sessionOfHash = new UniqueIndex<WebSession>(session => session.hash);
	readonly sessionsOfUser = new GroupedIds<WebSession>(session => [session.userId]);
	readonly sessionsOfKey = new GroupedIds<WebSession>(({keyId}) => (keyId === null ? [] : [keyId]));
	readonly sessionsByExpiry = new TimeIndex<WebSession>(({expiresAt}) => expiresAt);
}

/** Bounces. */
export class BounceIndexes {
	readonly byTime = new TimeIndex<PendingBounce>(({dueAt}) => dueAt);
	readonly ofMessage = new GroupedIds<PendingBounce>(({messageId}) => [messageId]);
}

/** Receipts and templates of the sending APIs. */
export class SendingIndexes {
	readonly receiptsByExpiry = new TimeIndex<Receipt>(({expiresAt}) => expiresAt);
	readonly receiptsOfHolder = new GroupedTimeIndex<Receipt>(
		({holder}) => holder,
		({expiresAt}) => expiresAt,
	);
	/** Bytes of receipts by holder. */
	readonly bytesOfReceipts = new SumIndex<Receipt, string>(receipt => [receipt.holder, sizeOfReceipt(receipt)]);
	readonly templatesOfUser = new GroupedIds<TemplateRow>(({userId}) => [userId]);
	/** Bytes of templates by user. */
	readonly bytesOfTemplates = new SumIndex<TemplateRow, string>(row => [row.userId, sizeOfTemplate(row)]);
}

/** Inboxes by address. While `a@d` is the address of an inbox, its plus addresses (`a+tag@d`) belong to the same user. */
export class AddressIndex {
	readonly #inboxOfAddress = new UniqueIndex<Inbox>(({address}) => canonicalAddress(address));
	/** Number of inboxes with a plus address of an address, in total and by user. There may be very many. */
	readonly #plusAddresses = new SumIndex<Inbox, string>(inbox => baseOf(inbox, base => [base, 1]));
	readonly #plusAddressesOfOwner = new SumIndex<Inbox, string>(inbox =>
		baseOf(inbox, base => [ownerKey(inbox, base), 1]),
	);

	readonly indexes: ReadonlyArray<RowIndex<Inbox>> = [
		this.#inboxOfAddress,
		this.#plusAddresses,
		this.#plusAddressesOfOwner,
	];

	/** The inbox with a canonical address: an exact one, `*@domain` or `*`. */
	get(canonical: string): Inbox | undefined {
		return this.#inboxOfAddress.get(canonical);
	}

	/** True if another inbox has the address of this one, or if the address belongs to an address of another user. */
	isTaken(inbox: Inbox): boolean {
		const canonical = canonicalAddress(inbox.address);
		const base = untagged(canonical);
		const inboxOfBase = base === null ? undefined : this.get(base);
		return (
			this.get(canonical) !== undefined ||
			this.#plusAddresses.of(canonical) > this.#plusAddressesOfOwner.of(ownerKey(inbox, canonical)) ||
			(inboxOfBase !== undefined && inboxOfBase.ownerId !== inbox.ownerId)
		);
	}
}

function baseOf<T>({address}: Inbox, use: (base: string) => T): T | null {
	const base = untagged(canonicalAddress(address));
	return base === null ? null : use(base);
}

function ownerKey({ownerId}: Inbox, base: string): string {
	return `${ownerId} ${base}`;
}

/** Inboxes by time of expiry. */
export class InboxExpiries {
	readonly #all = new TimeIndex<Inbox>(timeOf);
	readonly #ofOwner = new GroupedTimeIndex<Inbox>(({ownerId}) => ownerId, timeOf);
	readonly #ofTeam = new GroupedTimeIndex<Inbox>(({teamId}) => teamId, timeOf);
	readonly indexes: ReadonlyArray<RowIndex<Inbox>> = [this.#all, this.#ofOwner, this.#ofTeam];

	/** Ids of the inboxes expired at `now`, soonest first. Iterate before rows change. */
	until(now: string): Iterable<string> {
		return this.#all.until(now);
	}

	/** Time of the next expiry. */
	next(): string | undefined {
		return this.#all.next();
	}

	/** Ids of the inboxes of a scope expired at `now`. */
	in({userId, teamIds}: InboxScope, now: string): ReadonlySet<string> {
		const ofTeams = teamIds.flatMap(id => [...this.#ofTeam.until(id, now)]);
		return new Set([...this.#ofOwner.until(userId, now), ...ofTeams]);
	}
}

/** Inboxes by name. */
export class InboxNames {
	readonly #ofOwner = new GroupedTimeIndex<Inbox>(({ownerId, name}) => nameKey(ownerId, name), creationTime);
	readonly #ofTeam = new GroupedTimeIndex<Inbox>(({teamId, name}) => nameKey(teamId, name), creationTime);
	readonly indexes: ReadonlyArray<RowIndex<Inbox>> = [this.#ofOwner, this.#ofTeam];

	/** Ids of the inboxes of a scope with a name, the newest first. Iterate before rows change. */
	in({userId, teamIds}: InboxScope, name: string): Iterable<string> {
		const ofTeams = teamIds.map(id => this.#ofTeam.entries(`${id} ${name}`));
		return mergeLatestFirst([this.#ofOwner.entries(`${userId} ${name}`), ...ofTeams]);
	}
}

function nameKey(id: string | null, name: string | null): string | null {
	return id === null || name === null ? null : `${id} ${name}`;
}

function timeOf({expiresAt}: Inbox): string | null {
	return expiresAt;
}

export function creationTime({createdAt}: Inbox): string {
	return createdAt;
}

/** An active endpoint with unfinished deliveries, at the time of the first one. */
type DueEndpoint = TimeEntry & {readonly userId: string};

/**
 * Unfinished deliveries by due time, in three levels, so that users can take turns: the deliveries of an endpoint; the active
 * endpoints of a user, by their first delivery; the users, by their first delivery.
 */
export class DeliveryQueues {
	readonly #users = new TimeIndex<TimeEntry>(({at}) => at);
	readonly #endpoints = new GroupedTimeIndex<DueEndpoint>(
		({userId}) => userId,
		({at}) => at,
	);
	readonly #deliveries = new GroupedTimeIndex<Delivery>(
		({endpointId}) => endpointId,
		({nextAttemptAt}) => nextAttemptAt,
	);
	readonly #all = new TimeIndex<Delivery>(({nextAttemptAt}) => nextAttemptAt);
	/** User ids of active endpoints. */
	readonly #userOf = new Map<string, string>();

	readonly byDelivery: RowIndex<Delivery> = {
		update: (before, after) => {
			const {endpointId = ''} = after ?? before ?? {};
			this.#all.update(before, after);
			this.#change(endpointId, () => this.#deliveries.update(before, after));
		},
	};

	readonly byEndpoint: RowIndex<Endpoint> = {
		update: (before, after) => {
			if (before?.isActive !== after?.isActive) {
				const {id = '', userId = ''} = after ?? before ?? {};
				this.#change(id, () => {
					if (after?.isActive) {
						this.#userOf.set(id, userId);
					} else {
						this.#userOf.delete(id);
					}
				});
			}
		},
	};

	/** Users with a due delivery, the longest due first. */
	users(now: string): Iterable<string> {
		return this.#users.until(now);
	}

	/** Active endpoints of a user with a due delivery, the longest due first. */
	endpointsOf(userId: string, now: string): Iterable<string> {
		return this.#endpoints.until(userId, now);
	}

	deliveriesOf(endpointId: string, now: string): Iterable<string> {
		return this.#deliveries.until(endpointId, now);
	}

	/** Earliest time after `after` at which a delivery becomes due. Includes inactive endpoints. */
	next(after: string): string | undefined {
		return this.#all.next(after);
	}

	/** Makes a change, and moves the endpoint and its user if the first delivery of the active endpoint is then another one. */
	#change(endpointId: string, change: () => void): void {
		const before = this.#dueEndpoint(endpointId);
		change();
		const after = this.#dueEndpoint(endpointId);
		const {userId = ''} = after ?? before ?? {};
		if (before?.at !== after?.at) {
			const oldFirst = this.#dueUser(userId);
			this.#endpoints.update(before, after);
			this.#users.update(oldFirst, this.#dueUser(userId));
		}
	}

	#dueEndpoint(id: string): DueEndpoint | undefined {
		const userId = this.#userOf.get(id);
		const at = this.#deliveries.first(id)?.at;
		return userId === undefined || at === undefined ? undefined : {id, userId, at};
	}

	#dueUser(id: string): TimeEntry | undefined {
		const first = this.#endpoints.first(id);
		return first && {id, at: first.at};
	}
}

/** Maximum number of counts and hits. The oldest are dropped first. */
const retention = {counts: {ofFault: 10_000, ofOwner: 100_000}, hits: {ofInbox: 1000, ofOwner: 20_000}};

/** Key of the faults of the daemon, in place of an inbox id or an owner id. */
export const daemonKey = 'the daemon';

/** Faults, counts and hits by fault, inbox and owner. */
export class FaultIndexes {
	readonly ofStage = new SumIndex<Fault, FaultStage>(({stage}) => [stage, 1]);
	readonly expiries = new TimeIndex<Fault>(({expiresAt}) => expiresAt);
	readonly ofInbox = new GroupedRows<Fault>(({inboxId}) => inboxKey(inboxId));
	/** Counts by key, without the totals of faults. */
	readonly countsOf = new GroupedIds<FaultCountRow>(({id, faultId}) =>
		id === faultId ? [] : [faultId, this.#ownerKey(this.#inboxOf(faultId))],
	);
	readonly hitsOf = new GroupedIds<FaultHit>(({faultId, inboxId}) => [
		...(faultId === null ? [] : [faultId]),
		inboxKey(inboxId),
		this.#ownerKey(inboxId),
	]);
	readonly #inboxOf: (faultId: string) => string | null;
	readonly #ownerOf: (inboxId: string) => string;

	/** Both functions have to know deleted faults and inboxes that still have dependent rows. */
	constructor(inboxOf: (faultId: string) => string | null, ownerOf: (inboxId: string) => string) {
		this.#inboxOf = inboxOf;
		this.#ownerOf = ownerOf;
	}

	/** Deletes for the counts and hits beyond the limits, for the faults, inboxes and owners of these rows. */
	excess(counts: readonly FaultCountRow[], hits: readonly FaultHit[]): readonly Delete[] {
		const faultIds = new Set(counts.map(({faultId}) => faultId));
		const inboxIds = new Set(hits.map(({inboxId}) => inboxId));
		const ownersOfCounts = new Set([...faultIds].map(id => this.#ownerKey(this.#inboxOf(id))));
		const ownersOfHits = new Set([...inboxIds].map(id => this.#ownerKey(id)));
		const ids = {
			faultCounts: [
				...beyond(this.countsOf, faultIds, retention.counts.ofFault),
				...beyond(this.countsOf, ownersOfCounts, retention.counts.ofOwner),
			],
			faultHits: [
				...beyond(this.hitsOf, [...inboxIds].map(inboxKey), retention.hits.ofInbox),
				...beyond(this.hitsOf, ownersOfHits, retention.hits.ofOwner),
			],
		};
		return [
			...ids.faultCounts.map(id => ['delete', 'faultCounts', id] as const),
			...ids.faultHits.map(id => ['delete', 'faultHits', id] as const),
		];
	}

	#ownerKey(inboxId: string | null): string {
		return `owner ${inboxId === null ? daemonKey : this.#ownerOf(inboxId)}`;
	}
}

/** Key of an inbox, or of the daemon (null). */
export function inboxKey(inboxId: string | null): string {
	return inboxId ?? daemonKey;
}

/** The oldest ids of each group beyond the number to keep. */
function* beyond<Row extends {readonly id: string}>(
	groups: GroupedIds<Row>,
	keys: Iterable<string>,
	keep: number,
): Generator<string> {
	for (const key of keys) {
		let excess = groups.sizeOf(key) - keep;
		for (const id of excess > 0 ? groups.oldestFirst(key) : []) {
			if (excess-- === 0) {
				break;
			}

			yield id;
		}
	}
}
