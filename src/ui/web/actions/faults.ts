import {maxLimit} from '../../../contract/constants.js';
import type {FaultBody} from '../../../contract/faults.js';
import {causeOf} from '../../../lib/errors.js';
import {anyFault, faultQuestion} from '../../core/faults.js';
import {moveBy} from '../../core/list.js';
import type {MissingData} from '../../core/loader.js';
import type {Web} from '../context.js';
import {allHits, type FaultsState, faultChosen, faultsOf, hitsOf, isHolderKnown, openHit} from '../state/faults.js';
import type {WebState, WebUpdate} from '../state/state.js';
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
export function missingFaults(state: WebState, api: Web['api']): MissingData<WebState> | undefined {
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
}

/** Finds the hits of the open fault, if they must be read. The faults come first, because the chosen one may be deleted. */
export function missingHits(state: WebState, api: Web['api']): MissingData<WebState> | undefined {
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
}

/** True if the faults of the open screen are up to date. */
export function areFaultsRead(state: WebState): boolean {
	return state.faults.faultsRead === faultsRequest(state);
}

function faultsRequest({route, revision, faults}: WebState): string {
	return `${route.screen === 'faults' ? route.inboxId : ''} ${faults.faultsRevision} ${revision}`;
}

function withFaultParts(parts: Partial<FaultsState>): WebUpdate {
	return ({faults}) => ({faults: {...faults, ...parts}});
}
