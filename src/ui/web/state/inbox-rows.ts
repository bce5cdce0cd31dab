import type {InboxBody} from '../../../contract/inboxes.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {allMail, type InboxRow, isInbox, unseenIn, withSeen} from '../../core/inboxes.js';
import {isRemoved, withoutPendingDeletes} from './removals.js';
import {mailRoute, type Route} from './route.js';
import type {Removal, WebState} from './state.js';

/** Id of the row in the list of inboxes that a route belongs to; undefined for none. */
export function inboxRowIdOf(route: Route): string | undefined {
	return route.screen === 'mail' || route.screen === 'faults' ? (route.inboxId ?? allMail.id) : undefined;
}

/** Route of a row in the list of inboxes. */
export function routeOfRow(rowId: string | undefined): Route {
	return rowId === undefined ? {screen: 'inboxes'} : mailRoute(rowId === allMail.id ? undefined : rowId);
}

/** Changes the route, selects its inbox, and marks its message as seen. */
export function withRoute({inboxes, unseen}: WebState, route: Route): Partial<WebState> {
	const selected = inboxRowIdOf(route) ?? inboxes.shown.selected;
	const open = route.screen === 'mail' ? route.open : undefined;
	return {
		route,
		inboxes: {...inboxes, shown: {...inboxes.shown, selected}},
		unseen: open ? withSeen(unseen, open.inboxId, open.messageId) : unseen,
	};
}

type Listed = Pick<WebState, 'inboxes' | 'removals'>;

/** All inboxes, without pending deletes. */
export function inboxesLeft({inboxes, removals}: Listed): readonly InboxBody[] {
	return withoutRemoved(inboxes.all, removals).filter(isInbox);
}

/** Rows of the list of inboxes, without pending deletes. */
export function rowsLeft({inboxes, removals}: Listed): readonly InboxRow[] {
	return withoutRemoved(inboxes.shown.rows, removals);
}

function withoutRemoved(rows: readonly InboxRow[], removals: readonly Removal[]): readonly InboxRow[] {
	return removals.length === 0
		? rows
		: rows
				.filter(({id}) => !isRemoved(removals, id))
				.map(row => (isInbox(row) ? withoutPendingDeletes(removals, row) : row));
}

/** Route of the next inbox in the list, or of the previous one, for use when an inbox is deleted. */
export function routeBeside(state: WebState, id: string): Route {
	const {rows} = state.inboxes.shown;
	const index = rows.findIndex(row => row.id === id);
	const remains = (row: InboxRow) => !isRemoved(state.removals, row.id) && row.id !== id;
	const next = rows.slice(index + 1).find(remains) ?? rows.slice(0, Math.max(0, index)).findLast(remains);
	return routeOfRow(next?.id);
}

/** Title of the page: number of new messages and content, as in `(2) Sign-up – tinbox`. */
export function titleOf(state: WebState): string {
	const {account, unseen} = state;
	if (account.status !== 'in') {
		return 'tinbox';
	}

	const fresh = inboxesLeft(state).reduce((sum, inbox) => sum + unseenIn(unseen, inbox), 0);
	return `${fresh > 0 ? `(${fresh}) ` : ''}${[...namesOf(state), 'tinbox'].join(' – ')}`;
}

function namesOf({route, inboxes}: WebState): readonly string[] {
	switch (route.screen) {
		case 'inboxes':
			return [];
		case 'webhooks':
			return ['Webhooks'];
		case 'nowhere':
			return ['Not found'];
		default: {
			const inbox = inboxes.all.find(({id}) => id === route.inboxId);
			const name = inbox && sanitizeLine(inbox.name ?? inbox.email_address);
			const kind = route.screen === 'faults' ? ['Faults'] : name === undefined ? ['All inboxes'] : [];
			return [...kind, ...(name === undefined ? [] : [name])];
		}
	}
}
