import type {CreateInbox} from '../../../contract/inboxes.js';
import {
	allMail,
	inboxesNamed,
	isInbox,
	nextUnseen,
	withInbox,
	withInboxes,
	withInboxFilter,
} from '../../core/inboxes.js';
import {moveBy, selectedRow} from '../../core/list.js';
import type {Web} from '../context.js';
import {partOf, withOtherName} from '../state/message.js';
import {mailAt, placeOf, rowsLeft} from '../state/places.js';
import {isRemoved} from '../state/removals.js';
import {hrefOf, isInboxId, mailRoute, type Route} from '../state/route.js';
import type {WebState} from '../state/state.js';
import {tell} from './notices.js';

/** Makes an inbox and shows it. Rejects with what is wrong with it. */
export async function addNewInbox(web: Web, wanted: CreateInbox): Promise<void> {
	const {smtp: _, ...inbox} = await web.api.inboxes.create(wanted);
	web.store.update(({inboxes}) => ({
		inboxes: withInboxes({...inboxes, filter: ''}, withInbox(inboxes.all, inbox)),
		dialog: undefined,
	}));
	web.go(mailRoute(inbox.id));
	tell(web, `Created ${inbox.email_address}`);
}

/** Shows the inboxes with the text in name or address; all when it is empty. */
export function filterInboxList({store}: Web, filter: string): void {
	store.update(({inboxes, route}) => ({inboxes: withInboxFilter(inboxes, filter, placeOf(route))}));
}

/** Shows the inbox that is so many rows further down, or its faults. */
export function moveInbox({store, go}: Web, by: number): void {
	const state = store.get();
	const {route, inboxes} = state;
	const list = {rows: rowsLeft(state), selected: placeOf(route) ?? inboxes.shown.selected};
	const next = selectedRow(moveBy(list, by));
	if (next) {
		const id = isInbox(next) ? next.id : undefined;
		go(route.screen === 'faults' ? {screen: 'faults', inboxId: id ?? null} : mailRoute(id), 'replace');
	}
}

/** Shows the next inbox with mail that was not looked at. */
export function showUnseenInbox(web: Web): void {
	const {inboxes, unseen} = web.store.get();
	const next = nextUnseen(inboxes, unseen);
	if (next) {
		web.go(mailRoute(next.id));
	} else {
		tell(web, 'No inbox has new mail.');
	}
}

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
