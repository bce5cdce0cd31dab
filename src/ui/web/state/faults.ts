import type {EventBody} from '../../../contract/events.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import type {InboxesState} from '../../core/inboxes.js';

/** Path segment in place of a fault's id: the hits of all faults. */
export const allHits = 'hits';

/** Hits of one fault, or (undefined) of all; newest first. */
export type HitPage = {
	readonly inboxId: string | null;
	readonly faultId: string | undefined;
	readonly rows: readonly FaultHitBody[];
	/** Number of all hits. */
	readonly total: number;
};

export type FaultsState = {
	/** Faults of an inbox, or (null) of the daemon, in the order of evaluation; undefined until they were read. */
	readonly list: {readonly inboxId: string | null; readonly rows: readonly FaultBody[]} | undefined;
	readonly hits: HitPage | undefined;
	/** Reason why the faults could not be read. */
	readonly problem: string | undefined;
	/** Increases when the data may have changed. There is no event for mail that a fault lets pass. */
	readonly faultsRevision: number;
	readonly hitsRevision: number;
	/** Names of the last answered requests; `''` before the first. */
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

/** Requests that faults and hits are read again if one changed. */
export function withFaultEvents(faults: FaultsState, events: readonly EventBody[]): FaultsState {
	const isChanged = events.some(({type}) => type === 'fault.hit' || type === 'faults.changed');
	return isChanged ? withFaultsStale({...faults, hitsRevision: faults.hitsRevision + 1}) : faults;
}

/** Requests that the faults are read again. */
export function withFaultsStale(faults: FaultsState): FaultsState {
	return {...faults, faultsRevision: faults.faultsRevision + 1};
}

/** True if the inbox exists; always true for the daemon (null). */
export function isHolderKnown({all}: InboxesState, inboxId: string | null): boolean {
	return inboxId === null || all.some(({id}) => id === inboxId);
}

/** Faults of an inbox, or (null) of the daemon; undefined until they were read. */
export function faultsOf({list}: FaultsState, inboxId: string | null): readonly FaultBody[] | undefined {
	return list?.inboxId === inboxId ? list.rows : undefined;
}

/** Hits of a fault, or (undefined) of all; undefined until they were read. */
export function hitsOf({hits}: FaultsState, inboxId: string | null, faultId: string | undefined): HitPage | undefined {
	return hits?.inboxId === inboxId && hits.faultId === faultId ? hits : undefined;
}

/** Open hit: the chosen one, by default the newest. */
export function openHit(page: HitPage | undefined, hitId: string | undefined): FaultHitBody | undefined {
	return hitId === undefined ? page?.rows[0] : page?.rows.find(({id}) => id === hitId);
}

/** Fault that a URL names; undefined for all. */
export function faultChosen(faultId: string | undefined): string | undefined {
	return faultId === allHits ? undefined : faultId;
}
