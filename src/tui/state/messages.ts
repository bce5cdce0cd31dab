import type {EventBody} from '../../contract/events.js';
import type {MessageSummaryBody} from '../../contract/messages.js';
import {filterPattern} from './filter.js';
import {listHeight} from './layout.js';
import {moveBy, selectedIndex, withRows} from './list.js';
import {type MessagesState, noMessages, type WatchState} from './state.js';

/** One page of the messages of an inbox: the first one, or one that overlaps with what was read before. */
type MessagePage = {
	readonly inboxId: string;
	readonly rows: readonly MessageSummaryBody[];
	/** Whether nothing was read before it. */
	readonly first: boolean;
	/** Whether the page reaches to the oldest message. */
	readonly complete: boolean;
};

/** Everything is to be read again; what is selected stays selected. */
export function restart({revision, messages}: WatchState): Partial<WatchState> {
	return {revision: revision + 1, messages: startReading(messages, messages.inboxId)};
}

/** Starts to show an inbox. Also from scratch, when it is shown already. */
export function startReading(messages: MessagesState, inboxId: string | undefined): MessagesState {
	const {follow, filter, shown} = messages;
	return inboxId === messages.inboxId
		? {...noMessages, inboxId, follow, filter, shown: withRows(shown, [])}
		: {...noMessages, inboxId};
}

/** Whether the next page is to be read. */
export function wantsMore(state: WatchState): boolean {
	const {inboxId, shown, filter, complete, toOldest} = state.messages;
	const isNearEnd = selectedIndex(shown) >= shown.rows.length - 2 * listHeight(state);
	return inboxId !== undefined && !complete && (toOldest || filter !== '' || isNearEnd);
}

/** The next page when `known` rows were read. It starts with a known one, to show that none is missing in between. */
export function pageAfter(known: number, maxLimit = 100): {readonly page: number; readonly limit: number} {
	let limit = maxLimit;
	while (known > 0 && known % limit === 0) {
		limit--;
	}

	return {page: Math.floor(known / limit) + 1, limit};
}

/**
 * Takes in one page. Rows that an event announced meanwhile are known; all is read again when the page does not overlap
 * with what was read before, so that rows in between may be missing.
 */
export function withPage(state: WatchState, {inboxId, rows, first, complete}: MessagePage): Partial<WatchState> {
	const {messages} = state;
	if (inboxId !== messages.inboxId) {
		return {};
	}

	const known = new Map(messages.all.map(({id}, index) => [id, index]));
	const overlap = rows.findIndex(({id}) => known.has(id));
	if (overlap < 0 && !first) {
		return restart(state);
	}

	const isNew = ({id}: MessageSummaryBody) => !known.has(id) && !messages.gone.has(id);
	const newer = rows.slice(0, Math.max(0, overlap)).filter(isNew);
	const older = rows.slice(Math.max(0, overlap)).filter(isNew);
	const place = known.get(rows[overlap]?.id ?? '') ?? messages.all.length;
	const all = [...messages.all.slice(0, place), ...newer, ...messages.all.slice(place), ...older];
	const read = {...withAll(messages, all), complete};
	return {messages: messages.toOldest ? {...read, shown: moveBy(read.shown, Infinity)} : read};
}

/** Takes in what events told of the inbox. */
export function withMessageEvents(messages: MessagesState, events: readonly EventBody[]): MessagesState {
	const received = events.flatMap(event =>
		event.type === 'message.received' && event.message.inbox_id === messages.inboxId ? [event.message] : [],
	);
	const deleted = events.flatMap(event =>
		event.type === 'message.deleted' && event.inbox_id === messages.inboxId ? [event.message_id] : [],
	);
	if (received.length === 0 && deleted.length === 0) {
		return messages;
	}

	const known = new Set(messages.all.map(({id}) => id));
	const gone = new Set([...messages.gone, ...deleted]);
	const newest = received.filter(({id}) => !known.has(id)).reverse();
	const all = [...newest, ...messages.all].filter(({id}) => !gone.has(id));
	return {...withAll({...messages, gone}, all), above: messages.follow ? 0 : messages.above + newest.length};
}

/** Shows those messages with the text in sender (address or name), subject or recipient; all when it is empty. */
export function withFilter({messages}: WatchState, filter: string): Partial<WatchState> {
	return {messages: withAll({...messages, filter}, messages.all)};
}

/** Follows the newest message, or stops to. */
export function toggleFollow({messages}: WatchState): Partial<WatchState> {
	return {messages: messages.follow ? {...messages, follow: false} : following(messages)};
}

/** Selects the newest message, and each newer one as it arrives. */
export function following(messages: MessagesState): MessagesState {
	return withAll({...messages, follow: true, above: 0}, messages.all);
}

function withAll(messages: MessagesState, all: readonly MessageSummaryBody[]): MessagesState {
	const pattern = filterPattern(messages.filter);
	const matches = ({from, from_name, subject, to}: MessageSummaryBody) =>
		[from, from_name ?? '', subject, to].some(text => text.search(pattern) >= 0);
	const shown = withRows(messages.shown, messages.filter === '' ? all : all.filter(matches));
	return {...messages, all, shown: messages.follow && shown.rows[0] ? {...shown, selected: shown.rows[0].id} : shown};
}
