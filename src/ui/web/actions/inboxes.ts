import {takeRows} from '../../../client/pages.js';
import {isUuid} from '../../../contract/constants.js';
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
import type {Finder, Web} from '../context.js';
import {inboxRowIdOf, routeOfRow, rowsLeft} from '../state/inbox-rows.js';
import {isRemoved} from '../state/removals.js';
import {hrefOf, mailRoute, type Route} from '../state/route.js';
import type {WebState} from '../state/state.js';
import {withReadInboxes} from './feed.js';
import {notify} from './notices.js';
import {partOf, withCacheKey} from './open-message.js';

/** Creates an inbox and opens it. Rejects if the input is invalid. */
export async function addInbox(web: Web, wanted: CreateInbox): Promise<void> {
	const {smtp: _, ...inbox} = await web.api.inboxes.create(wanted);
	web.store.update(({inboxes}) => ({inboxes: withInboxes({...inboxes, filter: ''}, withInbox(inboxes.all, inbox))}));
	web.go(mailRoute(inbox.id));
	notify(web, `Created ${inbox.email_address}`);
}

/** Shows inboxes with the text in name or address. */
export function filterInboxList({store}: Web, filter: string): void {
	store.update(({inboxes, route}) => ({inboxes: withInboxFilter(inboxes, filter, inboxRowIdOf(route))}));
}

/** Opens the inbox `by` rows further down, or its faults if faults are shown. */
export function moveInbox({store, go}: Web, by: number): void {
	const state = store.get();
	const {route, inboxes} = state;
	const list = {rows: rowsLeft(state), selected: inboxRowIdOf(route) ?? inboxes.shown.selected};
	const next = selectedRow(moveBy(list, by));
	if (next) {
		const id = isInbox(next) ? next.id : undefined;
		go(route.screen === 'faults' ? {screen: 'faults', inboxId: id ?? null} : mailRoute(id), 'replace');
	}
}

/** Opens the next inbox with unseen messages. */
export function showUnseenInbox(web: Web): void {
	const {inboxes, unseen} = web.store.get();
	const next = nextUnseen(inboxes, unseen);
	if (next) {
		web.go(mailRoute(next.id));
	} else {
		notify(web, 'No inbox has new mail.');
	}
}

/** Finds the inboxes, if they must be read. */
export const missingInboxes: Finder = ({inboxesRevision, revision}, api) => {
	const read = async () => {
		const rows = await takeRows(async page => (await api.inboxes.list(page)).inboxes, Infinity);
		return (state: WebState) => ({...withReadInboxes(state, rows), inboxesRevision: revision});
	};
	return inboxesRevision === revision ? undefined : {name: `${revision}`, read};
};

/** True once the inboxes were read. */
export function isInboxListRead({account, inboxesRevision, revision}: WebState): boolean {
	return account.status === 'in' && revision > 0 && inboxesRevision > 0;
}

/** True if the window has room for more than one pane. */
export function isWide(): boolean {
	return matchMedia('(width >= 600px)').matches;
}

/**
 * Redirects from places that show nothing: in a wide window from the list of inboxes to the newest one, from the name or address
 * of an inbox to its id, and from a deleted inbox to another.
 */
export function redirectRoutes(web: Web): void {
	web.store.subscribe(() => {
		const state = web.store.get();
		const {route, inboxes, removals} = state;
		if (!isInboxListRead(state)) {
			return;
		}

		const newest = inboxes.all.find(({id}) => !isRemoved(removals, id));
		if (route.screen === 'inboxes' && newest && isWide()) {
			web.go(mailRoute(newest.id), 'replace');
		} else if (route.screen === 'mail' || route.screen === 'faults') {
			redirectUnknownInbox(web, route);
		}

		redirectMessageName(web);
	});
}

type InboxRoute = Extract<Route, {screen: 'mail' | 'faults'}>;

function redirectUnknownInbox(web: Web, route: InboxRoute): void {
	const {all, shown} = web.store.get().inboxes;
	const {inboxId} = route;
	if (inboxId === null || inboxId === undefined || all.some(({id}) => id === inboxId)) {
		return;
	}

	const named = inboxesNamed(all, inboxId);
	const [only] = named.length === 1 ? named : [];
	const next = all.find(({id}) => id === shown.selected);
	if (only) {
		web.go(withInboxId(route, only.id), 'replace');
	} else if (!isUuid(inboxId)) {
		web.go({screen: 'nowhere', href: hrefOf(route), inboxName: inboxId}, 'replace');
	} else {
		web.go(next || shown.selected === allMail.id ? routeOfRow(shown.selected) : {screen: 'inboxes'}, 'replace');
		notify(web, 'This inbox no longer exists.');
	}
}

function withInboxId(route: InboxRoute, inboxId: string): Route {
	return route.screen === 'faults'
		? {...route, inboxId}
		: {...route, inboxId, open: route.open && {...route.open, inboxId}};
}

/** Replaces the prefix of an id, or `latest`, by the id of the open message. */
function redirectMessageName({store, go}: Web): void {
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
		store.update(({message}) => ({message: withCacheKey(message, open, named)}));
	}
}
