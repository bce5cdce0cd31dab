import type {CreateInbox} from '../../../contract/inboxes.js';
import {isInbox, nextUnseen, withInbox, withInboxes, withInboxFilter} from '../../core/inboxes.js';
import {moveBy, selectedRow} from '../../core/list.js';
import {placeOf, rowsLeft} from '../state/places.js';
import {mailRoute} from '../state/route.js';
import type {Web} from '../web.js';
import {tell} from './attempt.js';

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
