import type {FaultBody} from '../../../contract/faults.js';
import {anyFault, faultQuestion} from '../../core/faults.js';
import {moveBy} from '../../core/list.js';
import type {Web} from '../context.js';
import {allHits, faultChosen, faultsOf, hitsOf, openHit} from '../state/faults.js';
import {tell} from './notices.js';

export function askToDeleteFault({store, api, go}: Web, {id, name, inbox_id: inboxId}: FaultBody): void {
	const onYes = async () => {
		await api.faults.delete(inboxId, id);
		const {route} = store.get();
		if (route.screen === 'faults' && route.faultId === id) {
			go({screen: 'faults', inboxId}, 'replace');
		}

		tell({store}, 'Deleted the fault.');
	};
	store.update({dialog: {type: 'question', text: faultQuestion({id, name}), yes: 'Delete', onYes}});
}

/** Opens the fault that is `rows` further down, or all hits, which come first. */
export function moveFault({store, go}: Web, rows: number): void {
	const {route, faults} = store.get();
	if (route.screen === 'faults') {
		const {inboxId} = route;
		const selected = faultChosen(route.faultId) ?? anyFault.id;
		const next = moveBy({rows: [anyFault, ...(faultsOf(faults, inboxId) ?? [])], selected}, rows).selected;
		go({screen: 'faults', inboxId, faultId: next === anyFault.id ? undefined : next}, 'replace');
	}
}

/** Opens the hit that is `rows` further down. */
export function moveHit({store, go}: Web, rows: number): void {
	const {route, faults} = store.get();
	if (route.screen === 'faults') {
		const {inboxId, faultId = allHits} = route;
		const page = hitsOf(faults, inboxId, faultChosen(faultId));
		const hitId = moveBy({rows: page?.rows ?? [], selected: openHit(page, route.hitId)?.id}, rows).selected;
		go({screen: 'faults', inboxId, faultId, hitId}, 'replace');
	}
}
