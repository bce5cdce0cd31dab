import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {filterPattern} from '../../core/filter.js';
import {allMail, inboxOf} from '../../core/inboxes.js';
import {selectedIndex, withRows} from '../../core/list.js';
import {
	emptyMessageList,
	type ListRead,
	type ListScope,
	type MessageList,
	type MessageRow,
	nextListRead,
	withListEvents,
	withListRead,
} from '../../core/message-list.js';
import {listHeight} from './layout.js';
import {type MessagesState, noMessages, type WatchState} from './state.js';

/** Request for messages of an inbox; `details` for codes and recipients of rows that only events announced. */
export type InboxRead = {readonly inboxId: string; readonly read: ListRead | DetailsRead};

type DetailsRead = {readonly kind: 'details'; readonly before: string | undefined; readonly limit: number};

/** Number of inboxes that are read at once, and rows of each, for the list of all messages. */
const inboxesAtOnce = 20;
const firstRows = 20;
const rowsAtOnce = 100;

/** Requests that the list needs: rows in view and some more, and all rows for a filter. */
export function messageReads(state: WatchState): readonly InboxRead[] {
	const {revision, messages} = state;
	const {filter, toOldest, shown} = messages;
	const inboxes = shownInboxes(state);
	const incomplete = inboxes.filter(inbox => !isComplete(inbox, messages));
	const unread = incomplete.filter(({id}) => listOf(messages, id).revision !== revision);
	const readOf = (inboxId: string, limit: number): InboxRead[] => {
		const list = listOf(messages, inboxId);
		const read = nextListRead(list, {revision, view: {start: 0, end: list.rows.length}, limit});
		return read ? [{inboxId, read}] : [];
	};
	if (unread.length > 0) {
		const limit = inboxes.length > 1 ? firstRows : rowsAtOnce;
		return unread.slice(0, inboxesAtOnce).flatMap(({id}) => readOf(id, limit));
	}

	const isNearEnd = selectedIndex(shown) >= shown.rows.length - 2 * listHeight(state);
	if (incomplete.length > 0 && (toOldest || filter !== '' || isNearEnd)) {
		const {id} = incomplete.reduce((a, b) => (oldestRead(a.id, messages) >= oldestRead(b.id, messages) ? a : b));
		return readOf(id, rowsAtOnce);
	}

	return filter === '' ? [] : inboxes.flatMap(({id}) => missingDetails(id, messages)).slice(0, 1);
}

function missingDetails(inboxId: string, messages: MessagesState): readonly InboxRead[] {
	const {rows} = listOf(messages, inboxId);
	const index = rows.findIndex(({also}) => also === undefined);
	const before = rows[index - 1]?.id;
	return index < 0 ? [] : [{inboxId, read: {kind: 'details', before, limit: rowsAtOnce}}];
}

/** Applies the answer to a request. */
export function withMessages(state: WatchState, {inboxId, read}: InboxRead, answer: readonly MessageRow[]): WatchState {
	const {messages} = state;
	if (!isShown(messages, inboxId)) {
		return state;
	}

	const list = listOf(messages, inboxId);
	const next =
		read.kind === 'details'
			? {...list, rows: withDetails(list.rows, answer)}
			: withListRead(list, scopeOf(inboxId), read, answer);
	return {...state, messages: withList(messages, inboxId, next)};
}

/** Completes rows that only events announced. If the answer contains none of them, the first one gets no details. */
function withDetails(rows: readonly MessageRow[], answer: readonly MessageRow[]): readonly MessageRow[] {
	const found = new Map(answer.map(row => [row.id, row]));
	const first = rows.findIndex(({also}) => also === undefined);
	const isFound = rows.some(({id, also}) => also === undefined && found.has(id));
	return rows.map((row, index) => {
		const other = index === first && !isFound ? {...row, also: ''} : row;
		return row.also === undefined ? (found.get(row.id) ?? other) : row;
	});
}

/** Applies events about the shown inboxes. */
export function withMessageEvents(messages: MessagesState, events: readonly EventBody[]): MessagesState {
	const ids = new Set(events.map(inboxOf).filter(id => id !== undefined && isShown(messages, id)));
	return [...ids].reduce<MessagesState>((all, inboxId = '') => {
		const {list, arrivals} = withListEvents(listOf(all, inboxId), scopeOf(inboxId), events);
		const above = all.autoOpen ? 0 : all.above + arrivals.length;
		return {...withList(all, inboxId, list), above};
	}, messages);
}

/** Requests that everything is read again. The selection stays. */
export function restart({revision, messages}: WatchState): Partial<WatchState> {
	return {revision: revision + 1, messages: startReading(messages, messages.inboxId)};
}

/** Starts with an empty list for an inbox or all inboxes. */
export function startReading(messages: MessagesState, inboxId: string | undefined): MessagesState {
	const {autoOpen, filter, shown} = messages;
	return inboxId === messages.inboxId
		? {...noMessages, inboxId, autoOpen, filter, shown: withRows(shown, [])}
		: {...noMessages, inboxId};
}

/** Filters the list by sender, subject, recipients and codes. The row `selected` is selected again if it matches. */
export function filterMessages(
	{messages}: WatchState,
	filter: string,
	selected = messages.shown.selected,
): Partial<WatchState> {
	return {messages: {...messages, filter, shown: {...messages.shown, selected}}};
}

/** Turns auto-open on or off. */
export function toggleAutoOpen({messages}: WatchState): Partial<WatchState> {
	return {messages: messages.autoOpen ? {...messages, autoOpen: false} : withAutoOpen(messages)};
}

/** Selects the newest message, and each newer one as it arrives. */
export function withAutoOpen(messages: MessagesState): MessagesState {
	const {shown} = messages;
	return {...messages, autoOpen: true, above: 0, shown: {...shown, selected: shown.rows[0]?.id ?? shown.selected}};
}

/** Computes the rows of the list from the lists of the shown inboxes and the filter. */
export function withShownMessages(state: WatchState, before: WatchState): WatchState {
	const {messages, inboxes} = state;
	const {lists, filter, inboxId} = before.messages;
	const isSame = messages.lists === lists && messages.inboxId === inboxId && inboxes.all === before.inboxes.all;
	const {all, complete} = isSame ? messages : joinLists(state);
	if (all === messages.all && complete === messages.complete && messages.filter === filter) {
		return state;
	}

	const pattern = filterPattern(messages.filter);
	const matches = ({from, from_name, subject, to, also}: MessageRow) =>
		[from, from_name ?? '', subject, to, also ?? ''].some(text => text.search(pattern) >= 0);
	const shown = withRows(messages.shown, messages.filter === '' ? all : all.filter(matches));
	const end = messages.toOldest ? shown.rows.at(-1) : messages.autoOpen ? shown.rows[0] : undefined;
	return {...state, messages: {...messages, all, complete, shown: end ? {...shown, selected: end.id} : shown}};
}

/** Messages of the shown inboxes, newest first; of several inboxes as far back as each of them was read. */
function joinLists(state: WatchState): Pick<MessagesState, 'all' | 'complete'> {
	const {messages} = state;
	const inboxes = shownInboxes(state);
	const rows = inboxes.map(({id}) => listOf(messages, id).rows);
	const incomplete = inboxes.filter(inbox => !isComplete(inbox, messages));
	const complete = inboxes.length > 0 && incomplete.length === 0;
	if (messages.inboxId !== allMail.id) {
		return {all: rows[0] ?? [], complete};
	}

	const oldest =
		incomplete
			.map(({id}) => oldestRead(id, messages))
			.sort()
			.at(-1) ?? '';
	const all = rows.flat().filter(({received_at: at}) => at >= oldest);
	return {
		all: all.sort((a, b) => (a.received_at < b.received_at ? 1 : a.received_at > b.received_at ? -1 : 0)),
		complete,
	};
}

function shownInboxes({inboxes, messages}: WatchState): readonly InboxBody[] {
	return inboxes.all.filter(({id}) => isShown(messages, id));
}

function isShown({inboxId}: MessagesState, id: string): boolean {
	return inboxId === allMail.id || inboxId === id;
}

function isComplete({id, message_count: count}: InboxBody, messages: MessagesState): boolean {
	const list = listOf(messages, id);
	return list.revision < 0 ? count === 0 : list.isComplete;
}

/** Time of the oldest message that was read; later than any time if none was. */
function oldestRead(inboxId: string, messages: MessagesState): string {
	return listOf(messages, inboxId).rows.at(-1)?.received_at ?? '\uffff';
}

/** List of an inbox. */
export function listOf({lists}: MessagesState, inboxId: string): MessageList {
	return lists.get(inboxId) ?? emptyMessageList;
}

function withList(messages: MessagesState, inboxId: string, list: MessageList): MessagesState {
	return {...messages, lists: new Map(messages.lists).set(inboxId, list)};
}

function scopeOf(inboxId: string): ListScope {
	return {inboxId, isFiltered: false, isCounted: false};
}
