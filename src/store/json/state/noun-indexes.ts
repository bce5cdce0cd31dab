import type {FaultStage} from '../../../contract/constants.js';
import type {Fault, FaultHit} from '../../../domain/faults/fault.js';
import {canonicalAddress, untagged} from '../../../domain/mail/address.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import type {Delivery, Endpoint} from '../../../domain/webhooks/delivery.js';
import type {FaultCountRow} from '../../dump.js';
import type {InboxScope} from '../../port.js';
import type {Delete} from './change.js';
import {Agenda, type AgendaEntry, ByAge, Groups, Lists, Sums, Unique} from './indexes.js';
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

	/** The inbox with this canonical claim. */
	holder(claim: string): Inbox | undefined {
		return this.#holders.get(claim);
	}

	/** True if another inbox has the address of this one, or if the address belongs to an address of another user. */
	isTaken(inbox: Inbox): boolean {
		const claim = canonicalAddress(inbox.address);
		const base = untagged(claim);
		const ofBase = base === null ? undefined : this.holder(base);
		return (
			this.holder(claim) !== undefined ||
			this.#tagged.of(claim) > this.#taggedOfOwner.of(ownKey(inbox, claim)) ||
			(ofBase !== undefined && ofBase.ownerId !== inbox.ownerId)
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

/** When the time of inboxes is over. */
export class Expiries implements Index<Inbox> {
	readonly #all = new Agenda<Inbox>(timeOf);
	readonly #ofOwner = new ByAge<Inbox>(({ownerId}) => ownerId, timeOf);
	readonly #ofTeam = new ByAge<Inbox>(({teamId}) => teamId, timeOf);

	update(before: Inbox | undefined, after: Inbox | undefined): void {
		for (const index of [this.#all, this.#ofOwner, this.#ofTeam]) {
			index.update(before, after);
		}
	}

	/** The ids of those that are over, the first first. To be read as `Agenda.until` is. */
	until(now: string): Iterable<string> {
		return this.#all.until(now);
	}

	/** When the next one is over. */
	next(): string | undefined {
		return this.#all.next();
	}

	/** Those of the user and the teams that are over. */
	in({userId, teamIds}: InboxScope, now: string): ReadonlySet<string> {
		const ofTeams = teamIds.flatMap(id => [...this.#ofTeam.until(id, now)]);
		return new Set([...this.#ofOwner.until(userId, now), ...ofTeams]);
	}
}

function timeOf({expiresAt}: Inbox): string | null {
	return expiresAt;
}

/**
 * The unfinished deliveries by when they are due, so that users can take turns: those of an endpoint; the active endpoints of
 * a user, each by its first delivery; and the users, each by the first delivery of all.
 */
export class Queues {
	readonly #users = new Agenda<AgendaEntry>(({at}) => at);
	readonly #endpoints = new Agendas<AgendaEntry>(
		({at}) => at,
		(before, after) => this.#users.update(before, after),
	);
	readonly #deliveries = new Agendas<Delivery>(
		({nextAttemptAt}) => nextAttemptAt,
		(before, after) => this.#move(before, after),
	);
	readonly #all = new Agenda<Delivery>(({nextAttemptAt}) => nextAttemptAt);
	/** Of the active endpoints. */
	readonly #userOf = new Map<string, string>();

	readonly byDelivery: Index<Delivery> = {
		update: (before, after) => {
			this.#all.update(before, after);
			this.#deliveries.update((after ?? before)?.endpointId ?? '', before, after);
		},
	};

	readonly byEndpoint: Index<Endpoint> = {
		update: (before, after) => {
			if (before?.isActive !== after?.isActive) {
				this.#activate(before, after);
			}
		},
	};

	/** Users of whom a delivery is due, the longest due first. */
	users(now: string): Iterable<string> {
		return this.#users.until(now);
	}

	/** The active endpoints of a user for which a delivery is due, in the same order. */
	endpointsOf(userId: string, now: string): Iterable<string> {
		return this.#endpoints.of(userId)?.until(now) ?? [];
	}

	deliveriesOf(endpointId: string, now: string): Iterable<string> {
		return this.#deliveries.of(endpointId)?.until(now) ?? [];
	}

	/** The first time later than `after`, at which something becomes due; it may be for an endpoint that is not active. */
	next(after: string): string | undefined {
		return this.#all.next(after);
	}

	#activate(before: Endpoint | undefined, after: Endpoint | undefined): void {
		const {id = '', userId = ''} = after ?? before ?? {};
		const first = this.#deliveries.of(id)?.first;
		const entry = first && {id, at: first.at};
		if (after?.isActive) {
			this.#userOf.set(id, userId);
			this.#endpoints.update(userId, undefined, entry);
		} else if (this.#userOf.delete(id)) {
			this.#endpoints.update(userId, entry, undefined);
		}
	}

	/** Another delivery of the endpoint has become the first one. */
	#move(before: AgendaEntry | undefined, after: AgendaEntry | undefined): void {
		const userId = this.#userOf.get((after ?? before)?.id ?? '');
		if (userId !== undefined) {
			this.#endpoints.update(userId, before, after);
		}
	}
}

/** Agendas by what they belong to. Each stands in an agenda above where its first entry stands. */
class Agendas<Row extends {readonly id: string}> {
	readonly #agendas = new Map<string, Agenda<Row>>();
	readonly #timeOf: (row: Row) => string | null;
	readonly #above: (before: AgendaEntry | undefined, after: AgendaEntry | undefined) => void;

	constructor(
		timeOf: (row: Row) => string | null,
		above: (before: AgendaEntry | undefined, after: AgendaEntry | undefined) => void,
	) {
		this.#timeOf = timeOf;
		this.#above = above;
	}

	of(key: string): Agenda<Row> | undefined {
		return this.#agendas.get(key);
	}

	update(key: string, before: Row | undefined, after: Row | undefined): void {
		const agenda = this.#agendas.get(key) ?? new Agenda(this.#timeOf);
		const was = agenda.first;
		agenda.update(before, after);
		const is = agenda.first;
		if (is) {
			this.#agendas.set(key, agenda);
		} else {
			this.#agendas.delete(key);
		}

		if (was?.at !== is?.at) {
			this.#above(was && {id: key, at: was.at}, is && {id: key, at: is.at});
		}
	}
}

/** How many counts and hits are kept, the newest of what they belong to. */
const kept = {counts: {ofFault: 10_000, ofOwner: 100_000}, hits: {ofInbox: 1000, ofOwner: 20_000}};

/** What the daemon's own faults belong to, as others to an inbox and its owner. */
export const daemonKey = 'the daemon';

/** Faults with their counts and hits, by what they belong to: an inbox, and through it its owner. */
export class FaultIndexes {
	readonly ofStage = new Sums<Fault, FaultStage>(({stage}) => [stage, 1]);
	readonly expiries = new Agenda<Fault>(({expiresAt}) => expiresAt);
	readonly ofInbox = new Lists<Fault>(({inboxId}) => keyOf(inboxId));
	/** Of faults that have several. */
	readonly countsOf = new Groups<FaultCountRow>(({id, faultId}) =>
		id === faultId ? [] : [faultId, this.#ownerKey(this.#inboxOf(faultId))],
	);
	readonly hitsOf = new Groups<FaultHit>(({faultId, inboxId}) => [
		...(faultId === null ? [] : [faultId]),
		keyOf(inboxId),
		this.#ownerKey(inboxId),
	]);
	readonly #inboxOf: (faultId: string) => string | null;
	readonly #ownerOf: (inboxId: string) => string;

	/** Both are asked for as long as anything belongs to a fault or an inbox. */
	constructor(inboxOf: (faultId: string) => string | null, ownerOf: (inboxId: string) => string) {
		this.#inboxOf = inboxOf;
		this.#ownerOf = ownerOf;
	}

	/** Deletes what is too many of what these rows belong to, the oldest. */
	excess(counts: readonly FaultCountRow[], hits: readonly FaultHit[]): readonly Delete[] {
		const faultIds = new Set(counts.map(({faultId}) => faultId));
		const inboxIds = new Set(hits.map(({inboxId}) => inboxId));
		const ownersOfCounts = new Set([...faultIds].map(id => this.#ownerKey(this.#inboxOf(id))));
		const ownersOfHits = new Set([...inboxIds].map(id => this.#ownerKey(id)));
		const ids = {
			faultCounts: [
				...beyond(this.countsOf, faultIds, kept.counts.ofFault),
				...beyond(this.countsOf, ownersOfCounts, kept.counts.ofOwner),
			],
			faultHits: [
				...beyond(this.hitsOf, [...inboxIds].map(keyOf), kept.hits.ofInbox),
				...beyond(this.hitsOf, ownersOfHits, kept.hits.ofOwner),
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

/** Of an inbox, or of the daemon. */
export function keyOf(inboxId: string | null): string {
	return inboxId ?? daemonKey;
}

/** The oldest ids of each group that has more than so many. */
function* beyond<Row extends {readonly id: string}>(
	groups: Groups<Row>,
	keys: Iterable<string>,
	keep: number,
): Generator<string> {
	for (const key of keys) {
		let tooMany = groups.sizeOf(key) - keep;
		for (const id of tooMany > 0 ? groups.oldestFirst(key) : []) {
			if (tooMany-- === 0) {
				break;
			}

			yield id;
		}
	}
}
