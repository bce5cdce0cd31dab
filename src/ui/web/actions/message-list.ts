import {ApiError} from '../../../client/errors.js';
import type {EventBody} from '../../../contract/events.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import {allMail, withSeen} from '../../core/inboxes.js';
import {type RowRange, selectedRow} from '../../core/list.js';
import {
	isCorrection,
	type ListRead,
	type ListScope,
	nextListRead,
	totalOf,
	trimList,
	withListEvents,
	withListRead,
} from '../../core/message-list.js';
import {errorNotice} from '../../core/store.js';
import type {Finder, Web} from '../context.js';
import {isHidden} from '../state/removals.js';
import {filterProblem, type ListFilter, type OpenMessage} from '../state/route.js';
import {type MessageListState, noMessageList, rowsPerRead, type WebState} from '../state/state.js';

/** Opens a message of the list. Its parts are then read by `missingParts`. */
export function openMessage(web: Web, {inbox_id: inboxId, id: messageId}: MessageSummaryBody, how?: 'replace'): void {
	const query = listQuery(web.store.get());
	if (query) {
		const tab = openMessageIn(web.store.get())?.tab;
		web.go({screen: 'mail', inboxId: query.inboxId, filter: query.filter, open: {inboxId, messageId, tab}}, how);
	}
}

/**
 * Opens the message `by` rows further down and turns auto-open off; the first one in view if none is open. If the row of the
 * open message is just being read, the step waits for it.
 */
export function moveInList(web: Web, by: number): void {
	const from = openMessageIn(web.store.get())?.messageId;
	updateList(web, list => {
		const before = list.step?.from === from ? (list.step?.by ?? 0) : 0;
		return {...list, step: {from, by: before + by}, autoOpen: false};
	});
	takeStep(web);
}

function takeStep(web: Web): void {
	const state = web.store.get();
	const {view, step} = shownList(state);
	if (step === undefined) {
		return;
	}

	const {top, rows, total} = shownRows(state);
	const openId = openMessageIn(state)?.messageId;
	const open = rows.findIndex(({id}) => id === openId);
	const isViewRead = top <= view.start && top + rows.length >= Math.min(view.end, total);
	if (step.from === openId && open < 0 && !isViewRead) {
		return;
	}

	const wanted = open < 0 ? Math.max(0, view.start - top) : open + step.by;
	const index = Math.max(0, Math.min(rows.length - 1, wanted));
	const row = step.from === openId ? rows[index] : undefined;
	updateList(web, list => ({...(row ? withTarget(list, top + index) : list), step: undefined}));
	if (row) {
		openMessage(web, row, 'replace');
	}
}

/** Scrolls to the first row of the list, or to the last. */
export function scrollToEnd(web: Web, end: 'newest' | 'oldest'): void {
	const {total} = shownRows(web.store.get());
	updateList(web, list => withTarget(list, end === 'newest' ? 0 : Math.max(0, total - 1)));
}

/** Opens the newest message, or the oldest, as soon as it was read, unless the user opens something else before. */
export function openEnd(web: Web, end: 'newest' | 'oldest'): void {
	scrollToEnd(web, end);
	updateList(web, list => ({...list, autoOpen: false}));
	const {route} = web.store.get();
	const open = () => {
		const {top, rows, total} = shownRows(web.store.get());
		const newest = top === 0 ? rows[0] : undefined;
		const oldest = top + rows.length >= total ? rows.at(-1) : undefined;
		const row = end === 'newest' ? newest : oldest;
		if (row && web.store.get().route === route) {
			openMessage(web, row, 'replace');
		}

		return row !== undefined || web.store.get().route !== route;
	};
	if (!open()) {
		const stop = web.store.subscribe(() => {
			if (open()) {
				stop();
			}
		});
	}
}

/** Turns auto-open on or off: while it is on, the newest message is opened as it arrives. */
export function toggleAutoOpen(web: Web): void {
	updateList(web, list => ({...list, autoOpen: !list.autoOpen}));
	if (shownList(web.store.get()).autoOpen) {
		scrollToEnd(web, 'newest');
		openNewest(web);
	}
}

/** Filters the list. The open message stays open. */
export function filterList(web: Web, filter: ListFilter): void {
	const query = listQuery(web.store.get());
	if (query) {
		web.go({screen: 'mail', inboxId: query.inboxId, filter, open: openMessageIn(web.store.get())}, 'replace');
	}
}

/** Watches the list: opens arrivals if auto-open is on, takes a waiting step, and marks the open message as seen. */
export function watchList(web: Web): void {
	let before: WebState | undefined;
	web.store.subscribe(() => {
		const state = web.store.get();
		const hasNewRows = before?.list.rows !== state.list.rows && shownList(state) === state.list;
		const isOpened = before?.route !== state.route || before.unseen !== state.unseen;
		before = state;
		if (hasNewRows && state.list.autoOpen) {
			openNewest(web);
		}

		takeStep(web);
		const open = isOpened ? openMessageIn(state) : undefined;
		if (open && document.visibilityState === 'visible') {
			web.store.update(({unseen}) => ({unseen: withSeen(unseen, open.inboxId, open.messageId)}));
		}
	});
}

function openNewest(web: Web): void {
	const state = web.store.get();
	const {top, rows} = shownRows(state);
	const [newest] = rows;
	if (top === 0 && newest && newest.id !== openMessageIn(state)?.messageId) {
		openMessage(web, newest, 'replace');
	}
}

function updateList({store}: Web, update: (list: MessageListState) => MessageListState): void {
	store.update(state => updatedList(state, update));
}

/** Delay before a request that only corrects the list, because more events may arrive. */
const correctionMs = 250;

/** Finds the rows in view, if they must be read. */
export const missingRows: Finder = (state, {messages}) => {
	const next = listRead(state);
	if (next === undefined) {
		return undefined;
	}

	const {query, read} = next;
	return {
		name: nameOf(query, read),
		delayMs: isCorrection(shownList(state), read) ? correctionMs : 0,
		async read() {
			const rows = await readRows(messages, query, read);
			return state => updatedList(state, list => withAnswer(list, query, read, rows));
		},
		failed(error) {
			if (!hasConditions(query.filter) || !(error instanceof ApiError) || error.status !== 400) {
				return {notice: errorNotice(error)};
			}

			const problem = {field: error.errors?.[0]?.field, message: error.message};
			return state => updatedList(state, list => ({...list, rows: [], isComplete: true, problem}));
		},
	};
};

/**
 * Name of a request, without the changes before it and without the page: otherwise no answer would ever be accepted while mail
 * keeps arriving and moves the rows.
 */
function nameOf(query: ListQuery, read: ListRead): string {
	return `${keyOfQuery(query)} ${JSON.stringify({...read, changes: 0, page: 0})}`;
}

async function readRows(messages: Web['api']['messages'], {inboxId, filter}: ListQuery, read: ListRead) {
	const {kind: _, changes: __, revision: ___, ...range} = read;
	const query = {...filter, ...range};
	return inboxId === undefined ? messages.summariesOfAll(query) : messages.summaries(inboxId, query);
}

/** Inbox (undefined for all) and filter of a list. */
export type ListQuery = {readonly inboxId: string | undefined; readonly filter: ListFilter};

/** Key of a query. */
export function keyOfQuery({inboxId, filter}: ListQuery): string {
	return JSON.stringify([inboxId ?? null, filter]);
}

/** True if the filter has any condition. */
export function hasConditions({match, ...conditions}: ListFilter): boolean {
	return Object.values(conditions).some(value => value !== undefined && String(value) !== '');
}

/** Query of the shown list, from the route or the selected inbox. */
export function listQuery({route, inboxes}: Pick<WebState, 'route' | 'inboxes'>): ListQuery | undefined {
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
	const query = listQuery(state);
	return query ? listAt(state.list, query) : state.list;
}

/** Changes the list that is shown. */
export function updatedList(state: WebState, update: (list: MessageListState) => MessageListState): Partial<WebState> {
	return listQuery(state) ? {list: update(shownList(state))} : {};
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
	const query = listQuery(state);
	if (query === undefined) {
		return {total: 0, top: 0, rows: [], isComplete: true, isRead: false};
	}

	const list = shownList(state);
	const {isCounted} = scopeOf(query);
	const isRead = list.revision >= 0 || list.problem !== undefined;
	const isComplete = list.isComplete || isCounted;
	const removals = state.removals.filter(({inboxId}) => query.inboxId === undefined || inboxId === query.inboxId);
	const rows = removals.length === 0 ? list.rows : list.rows.filter(row => !isHidden(removals, row));
	if (!isCounted || removals.some(({kind}) => kind !== 'message')) {
		return {total: rows.length, top: 0, rows, isComplete, isRead};
	}

	const first = list.rows[0]?.id ?? '';
	const top = Math.max(0, list.top - removals.filter(({id}) => id > first).length);
	const total = totalOf(list, countOf(state, query)) - removals.length;
	return {total: Math.max(total, top + rows.length), top, rows, isComplete, isRead};
}

/** Next request that the list needs. */
export function listRead(state: WebState): {readonly query: ListQuery; readonly read: ListRead} | undefined {
	const query = listQuery(state);
	const {revision, inboxes} = state;
	const isThere = query?.inboxId === undefined || inboxes.all.some(({id}) => id === query.inboxId);
	if (query === undefined || revision === 0 || !isThere || filterProblem(query.filter)) {
		return undefined;
	}

	const list = shownList(state);
	const count = scopeOf(query).isCounted ? countOf(state, query) : undefined;
	const read = nextListRead(list, {revision, view: list.view, limit: rowsPerRead, count});
	return read && {query, read};
}

/** The list with the answer to a request. */
export function withAnswer(
	list: MessageListState,
	query: ListQuery,
	read: ListRead,
	answer: readonly MessageSummaryBody[],
): MessageListState {
	const scope = scopeOf(query);
	const next = trimList(withListRead(list, scope, read, answer), scope, list.view);
	return {...list, ...next, problem: undefined};
}

/** The list after events of the live feed. */
export function withMailEvents(state: WebState, events: readonly EventBody[]): MessageListState {
	const query = listQuery(state);
	if (query === undefined) {
		return state.list;
	}

	const before = listAt(state.list, query);
	const scope = scopeOf(query);
	const {list, arrivals} = withListEvents(before, scope, events);
	const {view, above} = before;
	const {length} = arrivals;
	const stays = length === 0 || scope.isFiltered || sticksToNewest(before, openMessageIn(state) !== undefined);
	const moved = stays ? {} : {view: {start: view.start + length, end: view.end + length}, above: above + length};
	const next = {...before, ...list, ...moved};
	return list === before ? before : {...next, ...trimList(next, scope, next.view)};
}

/** True if the newest row is in view and may move down for arrivals. */
export function sticksToNewest(
	{view, autoOpen}: Pick<MessageListState, 'view' | 'autoOpen'>,
	isOpen: boolean,
): boolean {
	return view.start === 0 && (autoOpen || !isOpen);
}

/** Sets the rows in view. At the top, no arrivals are above. */
export function withView(list: MessageListState, view: RowRange): MessageListState {
	const isSame = list.view.start === view.start && list.view.end === view.end;
	return isSame && (list.above === 0 || view.start > 0)
		? list
		: {...list, view, above: view.start === 0 ? 0 : Math.min(list.above, view.start)};
}

/** Requests to scroll to a row. */
function withTarget(list: MessageListState, index: number): MessageListState {
	return {...list, target: {index, number: list.target.number + 1}};
}

function listAt(list: MessageListState, query: ListQuery): MessageListState {
	const key = keyOfQuery(query);
	if (list.key === key) {
		return list;
	}

	const problem = filterProblem(query.filter);
	return {...noMessageList, key, autoOpen: list.autoOpen, problem, isComplete: problem !== undefined};
}

function scopeOf({inboxId, filter}: ListQuery): ListScope {
	const isFiltered = hasConditions(filter);
	return {inboxId, isFiltered, isCounted: inboxId !== undefined && !isFiltered};
}

function countOf({inboxes}: WebState, {inboxId}: ListQuery): number {
	return inboxes.all.find(({id}) => id === inboxId)?.message_count ?? 0;
}
