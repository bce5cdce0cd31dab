import type {EventBody} from '../../../contract/events.js';
import {withInboxEvents} from '../../core/inboxes.js';
import {withUnseen} from '../../core/unseen.js';
import {withStaleFaults} from './faults.js';
import {restart, withMessageEvents} from './messages.js';
import {isShown} from './pages.js';
import type {WatchState} from './state.js';

/** Takes in what the live feed told, in order and all at once. */
export function withEvents(state: WatchState, events: readonly EventBody[]): Partial<WatchState> {
	const {webhooks, faults} = state;
	const tellsOfDeliveries = events.some(
		event => event.type === 'delivery.changed' && event.endpoint_id === webhooks.endpoints.selected,
	);
	const tellsOfFaults = faults.inboxId !== undefined && events.some(event => inboxOfFaults(event) === faults.inboxId);
	const next = {
		inboxes: withInboxEvents(state.inboxes, events),
		messages: withMessageEvents(state.messages, events),
		webhooks: {...webhooks, deliveriesRevision: webhooks.deliveriesRevision + (tellsOfDeliveries ? 1 : 0)},
		faults: tellsOfFaults ? withStaleFaults({...faults, hitsRevision: faults.hitsRevision + 1}) : faults,
		unseen: withUnseen(state.unseen, events),
	};
	const isEmptied = events.some(event => event.type === 'messages.deleted' && isShown(next.messages, event.inbox_id));
	return isEmptied ? {...next, ...restart({...state, ...next})} : next;
}

/** Whose faults it tells of: those of an inbox, or (null) of the daemon; undefined when of none. */
function inboxOfFaults(event: EventBody): string | null | undefined {
	switch (event.type) {
		case 'fault.hit':
			return event.hit.inbox_id;
		case 'faults.changed':
			return event.inbox_id;
		default:
			return undefined;
	}
}
