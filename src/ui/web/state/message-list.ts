import type {EventBody} from '../../../contract/events.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import {allMail} from '../../core/inboxes.js';
import {type RowRange, selectedRow} from '../../core/list.js';
import {
	type ListRead,
	type ListScope,
	nextListRead,
	totalOf,
	trimList,
	withListEvents,
	withListRead,
} from '../../core/message-list.js';
import {isHidden} from './removals.js';
import {filterProblem, type ListFilter, type OpenMessage} from './route.js';
import {type MessageListState, noMessageList, rowsPerRead, type WebState} from './state.js';

/** Inbox (undefined for all) and filter of a list. */
export type ListPlace = {readonly inboxId: string | undefined; readonly filter: ListFilter};

/** Key of a place. */
export function keyOfPlace({inboxId, filter}: ListPlace): string {
	return JSON.stringify([inboxId ?? null, filter]);
}

/** True if the filter has any condition. */
export function isFilter({match, ...conditions}: ListFilter): boolean {
	return Object.values(conditions).some(value => value !== undefined && value !== '' && String(value) !== '');
}

/** Place of the shown list, from the route or the selected inbox. */
export function listPlace({route, inboxes}: Pick<WebState, 'route' | 'inboxes'>): ListPlace | undefined {
	if (route.screen === 'mail') {
		return route;
	}

	const row = route.screen === 'inboxes' ? selectedRow(inboxes.shown) : undefined;
	return row && {inboxId: row.id === allMail.id ? undefined : row.id, filter: {}};
}

/** Message that is open beside the list. */
export function openMessageIn({route}: Pick<WebState, 'route'>): OpenMessage | undefined {
	return route.screen === 'mail' ? route.open : undefined;
}

/** List that is shown. */
export function shownList(state: WebState): MessageListState {
	const place = listPlace(state);
	return place ? listAt(state.list, place) : state.list;
}

/** Changes the list that is shown. */
export function updatedList(state: WebState, update: (list: MessageListState) => MessageListState): Partial<WebState> {
	return listPlace(state) ? {list: update(shownList(state))} : {};
}

/** Rows of the list that is shown, and their place in it. */
export type ShownRows = {
	/** Number of messages, as far as it is known. */
	readonly total: number;
	/** Number of messages above the rows. */
	readonly top: number;
	readonly rows: MessageListState['rows'];
	/** False if `total` only counts the rows that were read. */
	readonly isComplete: boolean;
	/** False before the first answer. */
	readonly isRead: boolean;
};

/** The list without messages of pending deletes. */
export function shownRows(state: WebState): ShownRows {
	const place = listPlace(state);
	if (place === undefined) {
		return {total: 0, top: 0, rows: [], isComplete: true, isRead: false};
	}

	const list = shownList(state);
	const {isCounted} = scopeOf(place);
	const isRead = list.revision >= 0 || list.problem !== undefined;
	const isComplete = list.isComplete || isCounted;
	const removals = state.removals.filter(({inboxId}) => place.inboxId === undefined || inboxId === place.inboxId);
	const rows = removals.length === 0 ? list.rows : list.rows.filter(row => !isHidden(removals, row));
	if (!isCounted || removals.some(({kind}) => kind !== 'message')) {
		return {total: rows.length, top: 0, rows, isComplete, isRead};
	}

	const first = list.rows[0]?.id ?? '';
	const top = Math.max(0, list.top - removals.filter(({id}) => id > first).length);
	const total = totalOf(list, countOf(state, place)) - removals.length;
	return {total: Math.max(total, top + rows.length), top, rows, isComplete, isRead};
}

/** Next request that the list needs. */
export function listRead(state: WebState): {readonly place: ListPlace; readonly read: ListRead} | undefined {
	const place = listPlace(state);
	const {revision, inboxes} = state;
	const isThere = place?.inboxId === undefined || inboxes.all.some(({id}) => id === place.inboxId);
	if (place === undefined || revision === 0 || !isThere || filterProblem(place.filter)) {
		return undefined;
	}

	const list = shownList(state);
	const count = scopeOf(place).isCounted ? countOf(state, place) : undefined;
	const read = nextListRead(list, {revision, view: list.view, limit: rowsPerRead, count});
	return read && {place, read};
}

/** The list with the answer to a request. */
export function withAnswer(
	list: MessageListState,
	place: ListPlace,
	read: ListRead,
	answer: readonly MessageSummaryBody[],
): MessageListState {
	const scope = scopeOf(place);
	const next = trimList(withListRead(list, scope, read, answer), scope, list.view);
	return {...list, ...next, problem: undefined};
}

/** The list after events of the live feed. */
export function withMailEvents(state: WebState, events: readonly EventBody[]): MessageListState {
	const place = listPlace(state);
	if (place === undefined) {
		return state.list;
	}

	const before = listAt(state.list, place);
	const scope = scopeOf(place);
	const {list, arrivals} = withListEvents(before, scope, events);
	const {view, above} = before;
	const {length} = arrivals;
	const stays = length === 0 || scope.isFiltered || sticksToNewest(before, openMessageIn(state) !== undefined);
	const moved = stays ? {} : {view: {start: view.start + length, end: view.end + length}, above: above + length};
	const next = {...before, ...list, ...moved};
	return list === before ? before : {...next, ...trimList(next, scope, next.view)};
}

/** True if the newest row is in view and may move down for arrivals. */
export function sticksToNewest({view, follow}: Pick<MessageListState, 'view' | 'follow'>, isOpen: boolean): boolean {
	return view.start === 0 && (follow || !isOpen);
}

/** Sets the rows in view. At the top, no arrivals are above. */
export function withView(list: MessageListState, view: RowRange): MessageListState {
	const isSame = list.view.start === view.start && list.view.end === view.end;
	return isSame && (list.above === 0 || view.start > 0)
		? list
		: {...list, view, above: view.start === 0 ? 0 : Math.min(list.above, view.start)};
}

/** Requests to scroll to a row. */
export function withTarget(list: MessageListState, index: number): MessageListState {
	return {...list, target: {index, number: list.target.number + 1}};
}

function listAt(list: MessageListState, place: ListPlace): MessageListState {
	const key = keyOfPlace(place);
	if (list.key === key) {
		return list;
	}

	const problem = filterProblem(place.filter);
	return {...noMessageList, key, follow: list.follow, problem, isComplete: problem !== undefined};
}

function scopeOf({inboxId, filter}: ListPlace): ListScope {
	const isFiltered = isFilter(filter);
	return {inboxId, isFiltered, isCounted: inboxId !== undefined && !isFiltered};
}

function countOf({inboxes}: WebState, {inboxId}: ListPlace): number {
	return inboxes.all.find(({id}) => id === inboxId)?.message_count ?? 0;
}
