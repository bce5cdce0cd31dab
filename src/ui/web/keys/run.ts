import {selectedInbox} from '../../core/inboxes.js';
import {askToRemoveFault} from '../actions/faults.js';
import {filterInboxList} from '../actions/inboxes.js';
import {filterList} from '../actions/message-list.js';
import {openedMessage} from '../actions/open-message.js';
import {removeInbox, removeMessage, undoRemoval} from '../actions/removals.js';
import {sendAgain, sendTest} from '../actions/webhooks.js';
import {faultChosen, faultsOf} from '../state/faults.js';
import {isFilter} from '../state/message-list.js';
import {shownRows} from '../state/open-list.js';
import {mailRoute} from '../state/route.js';
import {openDelivery, openEndpoint} from '../state/webhooks.js';
import type {Web} from '../web.js';
import {enterPane, type PaneOfScreen} from './focus.js';

/** Back to where one came from: first out of the filter, then a pane to the left. */
export function goBack(web: Web, place: PaneOfScreen): void {
	const {route, inboxes} = web.store.get();
	if (place === 'inboxes' && inboxes.filter !== '') {
		filterInboxList(web, '');
	} else if (place === 'messages' && route.screen === 'mail' && isFilter(route.filter)) {
		filterList(web, {});
	} else {
		enterPane(web, -1);
	}
}

/** To the webhooks, or the faults of the inbox; from there back to mail. */
export function toScreen({store, go}: Web, screen: 'webhooks' | 'faults'): void {
	const {route, inboxes} = store.get();
	const inbox = selectedInbox(inboxes);
	if (route.screen === screen) {
		go(mailRoute(inbox?.id));
	} else {
		go(screen === 'webhooks' ? {screen} : {screen, inboxId: inbox?.id ?? null});
	}
}

/** Puts the keyboard into the filter of the inboxes, or of the messages. */
export function focusFilter(place: PaneOfScreen): void {
	const fields = place === 'inboxes' ? ['#inbox-filter', '#filter'] : ['#filter'];
	const field = fields.map(id => document.querySelector<HTMLInputElement>(id)).find(each => each !== null);
	field?.focus();
	field?.select();
}

/** Deletes the inbox, message or fault that is selected in the pane. */
export function remove(web: Web, place: PaneOfScreen): void {
	const state = web.store.get();
	const {route, inboxes, faults} = state;
	if (route.screen === 'faults') {
		const fault = faultsOf(faults, route.inboxId)?.find(({id}) => id === faultChosen(route.faultId));
		if (fault) {
			askToRemoveFault(web, fault);
		}

		return;
	}

	const inbox = selectedInbox(inboxes);
	const open = route.screen === 'mail' ? route.open : undefined;
	const message = shownRows(state).rows.find(({id}) => id === open?.messageId) ?? openedMessage(web);
	if (place === 'inboxes' && inbox) {
		removeInbox(web, inbox);
	} else if (place !== 'inboxes' && message) {
		removeMessage(web, message);
	}
}

/** Takes the last delete back. */
export function undoLast(web: Web): void {
	const last = web.store.get().removals.at(-1);
	if (last) {
		undoRemoval(web, last);
	}
}

/** Sends the open delivery again. */
export function redeliverOpened(web: Web): void {
	const {route, webhooks} = web.store.get();
	const delivery = route.screen === 'webhooks' ? openDelivery(webhooks, route) : undefined;
	if (typeof delivery === 'object') {
		void sendAgain(web, delivery);
	}
}

/** Sends a test to the open endpoint. */
export function testOpened(web: Web): void {
	const {route, webhooks} = web.store.get();
	const endpoint = route.screen === 'webhooks' ? openEndpoint(webhooks, route) : undefined;
	if (endpoint) {
		void sendTest(web, endpoint);
	}
}
