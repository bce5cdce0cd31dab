import type {EventBody} from '../../../contract/events.js';
import {filterPattern} from '../../core/filter.js';
import {withRows} from '../../core/list.js';
import {isShown, type PageRequest, readMessages} from './pages.js';
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
