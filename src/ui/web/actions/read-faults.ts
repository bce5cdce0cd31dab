import {maxLimit} from '../../../contract/constants.js';
import {causeOf} from '../../../lib/errors.js';
import {type FaultsState, faultChosen, isHolderKnown} from '../state/faults.js';
import type {WebState} from '../state/state.js';
import type {WebUpdate} from '../state/store.js';
import type {Web} from '../web.js';
import type {WebLack} from './lack.js';

type Api = Web['api'];

const put =
	(part: Partial<FaultsState>): WebUpdate =>
	({faults}) => ({faults: {...faults, ...part}});

/** Whether the faults were read as late as the state asks for. */
export function areFaultsRead(state: WebState): boolean {
	return state.faults.faultsRead === faultsRequest(state);
}

function faultsRequest({route, revision, faults}: WebState): string {
	return `${route.screen === 'faults' ? route.inboxId : ''} ${faults.faultsRevision} ${revision}`;
}

export function faultList(state: WebState, api: Api): WebLack | undefined {
	const {route} = state;
	if (route.screen !== 'faults' || areFaultsRead(state) || !isHolderKnown(state.inboxes, route.inboxId)) {
		return undefined;
	}

	const {inboxId} = route;
	const name = faultsRequest(state);
	const read = async () =>
		put({list: {inboxId, rows: await api.faults.list(inboxId)}, problem: undefined, faultsRead: name});
	const failed = (error: unknown) => put({list: undefined, problem: causeOf(error)});
	return {name, read, failed};
}

/** Read when it is known which faults there are: the chosen one may be gone. */
export function hitList(state: WebState, api: Api): WebLack | undefined {
	const {route, revision, faults} = state;
	if (route.screen !== 'faults' || !areFaultsRead(state)) {
		return undefined;
	}

	const {inboxId} = route;
	const faultId = faultChosen(route.faultId);
	const name = `${inboxId} ${faultId} ${faults.hitsRevision} ${revision}`;
	const read = async () => {
		const {hits: rows, total} = await api.faults.hits(inboxId, {fault: faultId, page: 1, limit: maxLimit});
		return put({hits: {inboxId, faultId, rows, total}, hitsRead: name});
	};
	return name === faults.hitsRead ? undefined : {name, read};
}
