import {maxLimit} from '../../../contract/constants.js';
import type {EventBody} from '../../../contract/events.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import {causeOf} from '../../../lib/errors.js';
import {anyFault, faultQuestion} from '../../core/faults.js';
import type {InboxesState} from '../../core/inboxes.js';
import {moveBy, withStaleList} from '../../core/list.js';
import type {Finder, Web} from '../context.js';
import type {FaultsState, HitPage, WebState, WebUpdate} from '../state/state.js';
import {notify} from './notices.js';

/** Asks for confirmation, then deletes a fault. */
export function askToDeleteFault({store, api, go}: Web, {id, name, inbox_id: inboxId}: FaultBody): void {
	const onYes = async () => {
		await api.faults.delete(inboxId, id);
		const {route} = store.get();
		if (route.screen === 'faults' && route.faultId === id) {
			go({screen: 'faults', inboxId}, 'replace');
		}

		notify({store}, 'Deleted the fault.');
	};
	store.update({dialog: {type: 'question', text: faultQuestion({id, name}), yes: 'Delete', onYes}});
}

/** Opens the fault `rows` further down. The first row stands for all hits. */
export function moveFault({store, go}: Web, rows: number): void {
	const {route, faults} = store.get();
	if (route.screen === 'faults') {
		const {inboxId} = route;
		const selected = faultChosen(route.faultId) ?? anyFault.id;
		const next = moveBy({rows: [anyFault, ...(faultsOf(faults, inboxId) ?? [])], selected}, rows).selected;
		go({screen: 'faults', inboxId, faultId: next === anyFault.id ? undefined : next}, 'replace');
	}
}

/** Opens the hit `rows` further down. */
export function moveHit({store, go}: Web, rows: number): void {
	const {route, faults} = store.get();
	if (route.screen === 'faults') {
		const {inboxId, faultId = allHits} = route;
		const page = hitsOf(faults, inboxId, faultChosen(faultId));
		const hitId = moveBy({rows: page?.rows ?? [], selected: openHit(page, route.hitId)?.id}, rows).selected;
		go({screen: 'faults', inboxId, faultId, hitId}, 'replace');
	}
}

/** Finds the faults of the open screen, if they must be read. */
export const missingFaults: Finder = (state, api) => {
	const {route} = state;
	if (route.screen !== 'faults' || areFaultsRead(state) || !isHolderKnown(state.inboxes, route.inboxId)) {
		return undefined;
	}

	const {inboxId} = route;
	const name = faultsRequest(state);
	return {
		name,
		read: async () => {
			const rows = await api.faults.list(inboxId);
			return withFaultParts({list: {inboxId, rows}, problem: undefined, faultsRead: name});
		},
		failed: error => withFaultParts({list: undefined, problem: causeOf(error)}),
	};
};

/** Finds the hits of the open fault, if they must be read. The faults come first, because the chosen one may be deleted. */
export const missingHits: Finder = (state, api) => {
	const {route, revision, faults} = state;
	if (route.screen !== 'faults' || !areFaultsRead(state)) {
		return undefined;
	}

	const {inboxId} = route;
	const faultId = faultChosen(route.faultId);
	const name = `${inboxId} ${faultId} ${faults.hitsRevision} ${revision}`;
	const read = async () => {
		const {hits: rows, total} = await api.faults.hits(inboxId, {fault: faultId, page: 1, limit: maxLimit});
		return withFaultParts({hits: {inboxId, faultId, rows, total}, hitsRead: name});
	};
	return name === faults.hitsRead ? undefined : {name, read};
};

/** True if the faults of the open screen are up to date. */
export function areFaultsRead(state: WebState): boolean {
	return state.faults.faultsRead === faultsRequest(state);
}

function faultsRequest({route, revision, faults}: WebState): string {
	return `${route.screen === 'faults' ? route.inboxId : ''} ${faults.listRevision} ${revision}`;
}

function withFaultParts(parts: Partial<FaultsState>): WebUpdate {
	return ({faults}) => ({faults: {...faults, ...parts}});
}

/** Path segment in place of a fault's id: the hits of all faults. */
export const allHits = 'hits';

/** Requests that faults and hits are read again if one changed. */
export function withFaultEvents(faults: FaultsState, events: readonly EventBody[]): FaultsState {
	const isChanged = events.some(({type}) => type === 'fault.hit' || type === 'faults.changed');
	return isChanged ? withStaleList({...faults, hitsRevision: faults.hitsRevision + 1}) : faults;
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
