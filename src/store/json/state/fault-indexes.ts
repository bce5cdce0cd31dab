import type {FaultStage} from '../../../contract/constants.js';
import type {Fault, FaultHit} from '../../../domain/faults/fault.js';
import type {FaultCountRow} from '../../dump-store.js';
import {Agenda} from './agenda.js';
import type {Delete} from './change.js';
import {Groups, Lists, Sums} from './indexes.js';

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
