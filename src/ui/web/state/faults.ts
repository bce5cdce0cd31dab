import type {EventBody} from '../../../contract/events.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import type {InboxesState} from '../../core/inboxes.js';

/** Stands in an address where the hits of all faults are shown, in place of the id of one. */
export const allHits = 'hits';

/** Hits, newest first: of one fault, or (undefined) of all. */
export type HitPage = {
	readonly inboxId: string | null;
	readonly faultId: string | undefined;
	readonly rows: readonly FaultHitBody[];
	/** How many there are in all. */
	readonly total: number;
};

export type FaultsState = {
	/** In the order in which they are asked, of an inbox or (null) the daemon; undefined until some were read. */
	readonly list: {readonly inboxId: string | null; readonly rows: readonly FaultBody[]} | undefined;
	readonly hits: HitPage | undefined;
	/** Why the faults cannot be shown. */
	readonly problem: string | undefined;
	/** Count up when there may be others; there is no event for what a fault lets pass. */
	readonly faultsRevision: number;
	readonly hitsRevision: number;
	/** The requests that all that came from; `''` before the first. */
	readonly faultsRead: string;
	readonly hitsRead: string;
};

export const noFaults: FaultsState = {
	list: undefined,
	hits: undefined,
	problem: undefined,
	faultsRevision: 0,
	hitsRevision: 0,
	faultsRead: '',
	hitsRead: '',
};

/** Has faults and hits read again when some changed or acted. */
export function withFaultEvents(faults: FaultsState, events: readonly EventBody[]): FaultsState {
	const tells = events.some(({type}) => type === 'fault.hit' || type === 'faults.changed');
	return tells ? withFaultsStale({...faults, hitsRevision: faults.hitsRevision + 1}) : faults;
}

/** Has the faults read again. */
export function withFaultsStale(faults: FaultsState): FaultsState {
	return {...faults, faultsRevision: faults.faultsRevision + 1};
}

/** Whether the inbox is there; the daemon (null) always is. */
export function isHolderKnown({all}: InboxesState, inboxId: string | null): boolean {
	return inboxId === null || all.some(({id}) => id === inboxId);
}

/** The faults of an inbox or (null) the daemon; undefined until they were read. */
export function faultsOf({list}: FaultsState, inboxId: string | null): readonly FaultBody[] | undefined {
	return list?.inboxId === inboxId ? list.rows : undefined;
}

/** The hits of the fault, or of all; undefined until they were read. */
export function hitsOf({hits}: FaultsState, inboxId: string | null, faultId: string | undefined): HitPage | undefined {
	return hits?.inboxId === inboxId && hits.faultId === faultId ? hits : undefined;
}

/** The hit that is open: the newest one, unless another was chosen. */
export function openHit(page: HitPage | undefined, hitId: string | undefined): FaultHitBody | undefined {
	return hitId === undefined ? page?.rows[0] : page?.rows.find(({id}) => id === hitId);
}

/** The fault whose hits an address asks for; undefined is all. */
export function faultChosen(faultId: string | undefined): string | undefined {
	return faultId === allHits ? undefined : faultId;
}
