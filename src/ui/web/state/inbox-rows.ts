import type {InboxBody} from '../../../contract/inboxes.js';
import {allMail, type InboxRow, isInbox} from '../../core/inboxes.js';
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
