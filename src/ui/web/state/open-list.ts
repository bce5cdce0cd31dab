import type {EventBody} from '../../../contract/events.js';
import {allMail} from '../../core/inboxes.js';
import {selectedRow} from '../../core/list.js';
import {
	chainedRead,
	countedRead,
	isCounted,
	type ListPlace,
	type ListRead,
	listAt,
	type MessageListState,
	totalOf,
	withListEvents,
} from './message-list.js';
import {isHidden} from './removals.js';
import {filterProblem, type OpenMessage} from './route.js';
import type {WebState} from './state.js';

/** Whose list is shown: that of the route, or of the selected inbox; undefined while there is none. */
export function listPlace({route, inboxes}: Pick<WebState, 'route' | 'inboxes'>): ListPlace | undefined {
	if (route.screen === 'mail') {
		return route;
	}

	const row = route.screen === 'inboxes' ? selectedRow(inboxes.shown) : undefined;
	return row && {inboxId: row.id === allMail.id ? undefined : row.id, filter: {}};
}

/** The message that is open beside the list. */
export function openIn({route}: Pick<WebState, 'route'>): OpenMessage | undefined {
	return route.screen === 'mail' ? route.open : undefined;
}

/** The list that is shown. */
export function openList(state: WebState): MessageListState {
	const place = listPlace(state);
	return place ? listAt(state.list, place) : state.list;
}

/** Another list in its place. */
export function updatedList(state: WebState, update: (list: MessageListState) => MessageListState): Partial<WebState> {
	return listPlace(state) ? {list: update(openList(state))} : {};
}

/** How many messages there are, as far as it is known, and the rows that are, of which so many are above. */
export type ShownRows = {
	readonly total: number;
	readonly top: number;
	readonly rows: MessageListState['rows'];
	/** Whether there is nothing left to be read behind them. */
	readonly isComplete: boolean;
	/** Whether anything was read at all. */
	readonly isRead: boolean;
};

/** The list without what is being deleted. */
export function shownRows(state: WebState): ShownRows {
	const place = listPlace(state);
	if (place === undefined) {
		return {total: 0, top: 0, rows: [], isComplete: true, isRead: false};
	}

	const list = openList(state);
	const {rows, top, isComplete, problem} = list;
	const isRead = list.revision >= 0 || problem !== undefined;
	const removals = state.removals.filter(({inboxId}) => place.inboxId === undefined || inboxId === place.inboxId);
	const left = removals.length === 0 ? rows : rows.filter(row => !isHidden(removals, row));
	if (!isCounted(place) || removals.some(({kind}) => kind !== 'message')) {
		return {total: left.length, top: 0, rows: left, isComplete: isComplete || isCounted(place), isRead};
	}

	const first = rows[0]?.id ?? '';
	const above = removals.filter(({id}) => id > first).length;
	const total = totalOf(list, countOf(state, place)) - removals.length;
	return {total: Math.max(total, left.length), top: Math.max(0, top - above), rows: left, isComplete: true, isRead};
}

/** What the list lacks. */
export function listRead(state: WebState): {readonly place: ListPlace; readonly read: ListRead} | undefined {
	const place = listPlace(state);
	const {revision, inboxes} = state;
	const isThere = place?.inboxId === undefined || inboxes.all.some(({id}) => id === place.inboxId);
	if (place === undefined || revision === 0 || !isThere || filterProblem(place.filter)) {
		return undefined;
	}

	const list = openList(state);
	const read = isCounted(place) ? countedRead(list, revision, countOf(state, place)) : chainedRead(list, revision);
	return read && {place, read};
}

/** Takes in what the live feed told of the list. */
export function withMailEvents(state: WebState, events: readonly EventBody[]): MessageListState {
	const place = listPlace(state);
	return place ? withListEvents(listAt(state.list, place), place, events, openIn(state) !== undefined) : state.list;
}

function countOf({inboxes}: WebState, {inboxId}: ListPlace): number {
	return inboxes.all.find(({id}) => id === inboxId)?.message_count ?? 0;
}
