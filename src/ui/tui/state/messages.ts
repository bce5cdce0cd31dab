import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {filterPattern} from '../../core/filter.js';
import {allMail} from '../../core/inboxes.js';
import {selectedIndex, withRows} from '../../core/list.js';
import {listHeight} from './layout.js';
import {type MessageRow, type MessagesState, noMessages, type ReadInbox, type WatchState} from './state.js';

/** Everything is to be read again; what is selected stays selected. */
export function restart({revision, messages}: WatchState): Partial<WatchState> {
	return {revision: revision + 1, messages: startReading(messages, messages.inboxId)};
}

/** Starts to show an inbox, or all. Also from scratch, when it is shown already. */
export function startReading(messages: MessagesState, inboxId: string | undefined): MessagesState {
	const {follow, filter, shown} = messages;
	return inboxId === messages.inboxId
		? {...noMessages, inboxId, follow, filter, shown: withRows(shown, [])}
		: {...noMessages, inboxId};
}

/**
 * Takes in one page. Rows that an event announced meanwhile are known, if not in full; all is read again when the page does
 * not overlap with what was read before, so that rows in between may be missing.
 */
export function withPage(
	state: WatchState,
	{inboxId, limit, first}: PageRequest,
	page: readonly MessageRow[],
): WatchState {
	const {messages} = state;
	if (!isShown(messages, inboxId)) {
		return state;
	}

	const before = messages.read.get(inboxId)?.rows ?? [];
	const known = new Map(before.map(({id}, index) => [id, index]));
	const overlap = page.findIndex(({id}) => known.has(id));
	if (overlap < 0 && !first) {
		return {...state, ...restart(state)};
	}

	const isNew = ({id}: MessageRow) => !known.has(id) && !messages.gone.has(id);
	const newer = page.slice(0, Math.max(0, overlap)).filter(isNew);
	const older = page.slice(Math.max(0, overlap)).filter(isNew);
	const place = known.get(page[overlap]?.id ?? '') ?? before.length;
	const rows = [...before.slice(0, place), ...newer, ...before.slice(place), ...older];
	const complete = messages.read.get(inboxId)?.complete || page.length < limit;
	return {...state, messages: withRead(messages, inboxId, {rows: knownInFull(rows, page), complete})};
}

/** Takes in what events told of the inboxes that are shown. */
export function withMessageEvents(messages: MessagesState, events: readonly EventBody[]): MessagesState {
	const received = events.flatMap(event =>
		event.type === 'message.received' && isShown(messages, event.message.inbox_id) ? [event.message] : [],
	);
	const deleted = events.flatMap(event =>
		event.type === 'message.deleted' && isShown(messages, event.inbox_id) ? [event] : [],
	);
	if (received.length === 0 && deleted.length === 0) {
		return messages;
	}

	const gone = new Set([...messages.gone, ...deleted.map(({message_id: id}) => id)]);
	const inboxIds = new Set([...received, ...deleted].map(({inbox_id: id}) => id));
	const after = [...inboxIds].reduce((all, inboxId) => {
		const {rows, complete} = all.read.get(inboxId) ?? {rows: [], complete: false};
		const known = new Set(rows.map(({id}) => id));
		const newest = received.filter(({id, inbox_id}) => inbox_id === inboxId && !known.has(id)).reverse();
		const left = [...newest, ...rows].filter(({id}) => !gone.has(id));
		const above = all.follow ? 0 : all.above + newest.length;
		return {...withRead(all, inboxId, {rows: left, complete}), above};
	}, messages);
	return {...after, gone};
}

/**
 * Shows those messages with the text in sender (address or name), subject, recipient or code; all when it is empty.
 * `selected` stays so if it is among them.
 */
export function filterMessages(
	{messages}: WatchState,
	filter: string,
	selected = messages.shown.selected,
): Partial<WatchState> {
	return {messages: {...messages, filter, shown: {...messages.shown, selected}}};
}

/** Follows the newest message, or stops to. */
export function toggleFollow({messages}: WatchState): Partial<WatchState> {
	return {messages: messages.follow ? {...messages, follow: false} : following(messages)};
}

/** Selects the newest message, and each newer one as it arrives. */
export function following(messages: MessagesState): MessagesState {
	const {shown} = messages;
	return {...messages, follow: true, above: 0, shown: {...shown, selected: shown.rows[0]?.id ?? shown.selected}};
}

/** The state with those messages in the list that were read and match the filter. */
export function withShownMessages(state: WatchState, before: WatchState): WatchState {
	const {messages, inboxes} = state;
	const {read, filter, inboxId} = before.messages;
	const isSame = messages.read === read && messages.inboxId === inboxId && inboxes.all === before.inboxes.all;
	const {all, complete} = isSame ? messages : readMessages(state);
	if (all === messages.all && complete === messages.complete && messages.filter === filter) {
		return state;
	}

	const pattern = filterPattern(messages.filter);
	const matches = ({from, from_name, subject, to, also}: MessageRow) =>
		[from, from_name ?? '', subject, to, also ?? ''].some(text => text.search(pattern) >= 0);
	const shown = withRows(messages.shown, messages.filter === '' ? all : all.filter(matches));
	const end = messages.toOldest ? shown.rows.at(-1) : messages.follow ? shown.rows[0] : undefined;
	return {...state, messages: {...messages, all, complete, shown: end ? {...shown, selected: end.id} : shown}};
}

function withRead(messages: MessagesState, inboxId: string, read: ReadInbox): MessagesState {
	return {...messages, read: new Map(messages.read).set(inboxId, read)};
}

/** With what the page tells of rows that only events announced; nothing more is known of one that it should tell of and does not. */
function knownInFull(rows: readonly MessageRow[], page: readonly MessageRow[]): readonly MessageRow[] {
	const first = rows.findIndex(({also}) => also === undefined);
	if (first < 0) {
		return rows;
	}

	const found = new Map(page.map(row => [row.id, row]));
	const isTold = rows.some(({id, also}) => also === undefined && found.has(id));
	return rows.map((row, index) =>
		row.also !== undefined ? row : (found.get(row.id) ?? (isTold || index > first ? row : {...row, also: ''})),
	);
}

/** One page of the messages of an inbox that is to be read. */
type PageRequest = {
	readonly inboxId: string;
	readonly page: number;
	readonly limit: number;
	/** Whether nothing was read before it. */
	readonly first: boolean;
};

/** Inboxes that are read at once, and how much of each, to show the mail of all of them. */
const atOnce = 20;
const firstRows = 20;

/** Whether the messages of an inbox are among those that are shown. */
export function isShown({inboxId}: MessagesState, id: string): boolean {
	return inboxId === allMail.id || inboxId === id;
}

/** The messages of what is selected, newest first: of several inboxes as far back as each of them was read. */
function readMessages(state: WatchState): Pick<MessagesState, 'all' | 'complete'> {
	const {read} = state.messages;
	const inboxes = shownInboxes(state);
	const parts = inboxes.map(({id}) => read.get(id)?.rows ?? []);
	const open = inboxes.filter(inbox => !isComplete(inbox, state));
	const complete = inboxes.length > 0 && open.length === 0;
	if (state.messages.inboxId !== allMail.id) {
		return {all: parts[0] ?? [], complete};
	}

	const from =
		open
			.map(({id}) => oldestRead(id, state))
			.sort()
			.at(-1) ?? '';
	const all = parts.flat().filter(({received_at: at}) => at >= from);
	return {
		all: all.sort((a, b) => (a.received_at < b.received_at ? 1 : a.received_at > b.received_at ? -1 : 0)),
		complete,
	};
}

/** The pages to read next: what is in view, some more, and what the filter has to look at. */
export function pagesWanted(state: WatchState): readonly PageRequest[] {
	const {read, filter, toOldest, shown} = state.messages;
	const inboxes = shownInboxes(state);
	const open = inboxes.filter(inbox => !isComplete(inbox, state));
	const unread = open.filter(({id}) => !read.has(id));
	if (unread.length > 0) {
		const limit = inboxes.length > 1 ? firstRows : undefined;
		return unread.slice(0, atOnce).map(({id}) => ({inboxId: id, ...pageAfter(0, limit)}));
	}

	const isNearEnd = selectedIndex(shown) >= shown.rows.length - 2 * listHeight(state);
	if (open.length > 0 && (toOldest || filter !== '' || isNearEnd)) {
		const {id} = open.reduce((a, b) => (oldestRead(a.id, state) >= oldestRead(b.id, state) ? a : b));
		return [{inboxId: id, ...pageAfter(read.get(id)?.rows.length ?? 0)}];
	}

	return filter === '' ? [] : inboxes.flatMap(({id}) => partlyKnown(id, state)).slice(0, 1);
}

/** The next page when `known` rows were read. It starts with a known one, to show that none is missing in between. */
export function pageAfter(known: number, maxLimit = 100): Omit<PageRequest, 'inboxId'> {
	let limit = maxLimit;
	while (known > 0 && known % limit === 0) {
		limit--;
	}

	return {page: Math.floor(known / limit) + 1, limit, first: known === 0};
}

/** The page that tells the codes of a message that so far only an event announced. */
function partlyKnown(inboxId: string, {messages}: WatchState): readonly PageRequest[] {
	const index = messages.read.get(inboxId)?.rows.findIndex(({also}) => also === undefined) ?? -1;
	return index < 0 ? [] : [{inboxId, page: Math.floor(index / 100) + 1, limit: 100, first: false}];
}

function shownInboxes({inboxes, messages}: WatchState): readonly InboxBody[] {
	return inboxes.all.filter(({id}) => isShown(messages, id));
}

function isComplete({id, message_count: count}: InboxBody, {messages}: WatchState): boolean {
	return messages.read.get(id)?.complete ?? count === 0;
}

/** When the oldest message that was read came; later than all when none was read. */
function oldestRead(inboxId: string, {messages}: WatchState): string {
	return messages.read.get(inboxId)?.rows.at(-1)?.received_at ?? '\uffff';
}
