import {allMail, inboxesNamed} from '../../core/inboxes.js';
import {partOf, withOtherName} from '../state/message.js';
import {mailAt} from '../state/places.js';
import {isRemoved} from '../state/removals.js';
import {hrefOf, isInboxId, mailRoute, type Route} from '../state/route.js';
import type {WebState} from '../state/state.js';
import type {Web} from '../web.js';
import {tell} from './attempt.js';

/** Whether there is room for more than one pane. */
export function isWide(): boolean {
	return matchMedia('(width >= 600px)').matches;
}

/**
 * Goes on from where there is nothing to show: from the inboxes alone to the newest of them where there is room for its mail,
 * from a name or an address in place of an id, and from an inbox that is gone.
 */
export function keepInboxShown(web: Web): void {
	web.store.subscribe(() => {
		const state = web.store.get();
		const {route, inboxes, removals} = state;
		const newest = inboxes.all.find(({id}) => !isRemoved(removals, id));
		if (!isInboxListRead(state)) {
			return;
		}

		if (route.screen === 'inboxes' && newest && isWide()) {
			web.go(mailRoute(newest.id), 'replace');
		} else if (route.screen === 'mail' || route.screen === 'faults') {
			leaveUnknown(web, route);
		}

		keepNamed(web);
	});
}

/** Whether it is known which inboxes there are. */
export function isInboxListRead({account, inboxesRevision, revision}: WebState): boolean {
	return account.status === 'in' && revision > 0 && inboxesRevision > 0;
}

function leaveUnknown(web: Web, route: Extract<Route, {screen: 'mail' | 'faults'}>): void {
	const {all, shown} = web.store.get().inboxes;
	const {inboxId} = route;
	if (inboxId === null || inboxId === undefined || all.some(({id}) => id === inboxId)) {
		return;
	}

	const named = inboxesNamed(all, inboxId);
	const [only] = named.length === 1 ? named : [];
	const next = all.find(({id}) => id === shown.selected);
	if (only) {
		web.go(routeOfInbox(route, only.id), 'replace');
	} else if (!isInboxId(inboxId)) {
		web.go({screen: 'nowhere', href: hrefOf(route), inboxName: inboxId}, 'replace');
	} else {
		web.go(next || shown.selected === allMail.id ? mailAt(shown.selected) : {screen: 'inboxes'}, 'replace');
		tell(web, 'This inbox no longer exists.');
	}
}

/** The same of another inbox. */
function routeOfInbox(route: Extract<Route, {screen: 'mail' | 'faults'}>, inboxId: string): Route {
	return route.screen === 'faults'
		? {...route, inboxId}
		: {...route, inboxId, open: route.open && {...route.open, inboxId}};
}

/** Has the address name the open message by its id, which may stand there by a part of it, or as the latest. */
function keepNamed({store, go}: Web): void {
	const {route, message} = store.get();
	const open = route.screen === 'mail' ? route.open : undefined;
	const part = open && partOf(message, open, 'message');
	if (route.screen !== 'mail' || open === undefined || part?.status !== 'read') {
		return;
	}

	const {id: messageId, inbox_id: inboxId} = part.value;
	if (messageId !== open.messageId || inboxId !== open.inboxId) {
		const named = {...open, inboxId, messageId};
		go({...route, open: named}, 'replace');
		store.update(({message}) => ({message: withOtherName(message, open, named)}));
	}
}
