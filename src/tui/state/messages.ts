import type {EventBody} from '../../contract/events.js';
import type {MessageSummaryBody} from '../../contract/messages.js';
import {matcherOf} from '../text/matches.js';
import type {MessagesRead} from './action.js';
import {listHeight} from './layout.js';
import {moveBy, selectedIndex, withRows} from './list.js';
import {type Messages, noMessages, type State} from './state.js';

/** Begins to show an inbox; also the one that is shown already, from the start. */
export function startReading(messages: Messages, inboxId: string | undefined): Messages {
	const {follow, filter, shown} = messages;
	return inboxId === messages.inboxId
		? {...noMessages, inboxId, follow, filter, shown: withRows(shown, [])}
		: {...noMessages, inboxId};
}

/** Whether the next page is to be read. */
export function wantsMore(state: State): boolean {
	const {inboxId, shown, filter, complete, toOldest} = state.messages;
	const near = selectedIndex(shown) >= shown.rows.length - 2 * listHeight(state);
	return inboxId !== undefined && !complete && (toOldest || filter !== '' || near);
}

/** The page to read when so many rows are known: it begins with a known one, to show that none is missing in between. */
export function pageBehind(known: number, longest = 100): {readonly page: number; readonly limit: number} {
	let limit = longest;
	while (known > 0 && known % limit === 0) {
		limit--;
	}

	return {page: Math.floor(known / limit) + 1, limit};
}

/**
 * Takes in one page. Rows of which an event told meanwhile are known; undefined when the page has nothing in common
 * with what was read before it, so that rows between them could be missing.
 */
export function withPage(messages: Messages, {rows, first, complete}: MessagesRead): Messages | undefined {
	const known = new Map(messages.all.map(({id}, index) => [id, index]));
	const overlap = rows.findIndex(({id}) => known.has(id));
	if (overlap < 0 && !first) {
		return undefined;
	}

	const isNew = ({id}: MessageSummaryBody) => !known.has(id) && !messages.gone.has(id);
	const newer = rows.slice(0, Math.max(0, overlap)).filter(isNew);
	const older = rows.slice(Math.max(0, overlap)).filter(isNew);
	const place = known.get(rows[overlap]?.id ?? '') ?? messages.all.length;
	const all = [...messages.all.slice(0, place), ...newer, ...messages.all.slice(place), ...older];
	const read = {...withAll(messages, all), complete};
	return messages.toOldest ? {...read, shown: moveBy(read.shown, Infinity)} : read;
}

/** Takes in what events told of the inbox. */
export function withMessageEvents(messages: Messages, events: readonly EventBody[]): Messages {
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

export function withFilter(messages: Messages, filter: string): Messages {
	return withAll({...messages, filter}, messages.all);
}

/** Selects the newest message, and each newer one as it comes. */
export function following(messages: Messages): Messages {
	return withAll({...messages, follow: true, above: 0}, messages.all);
}

function withAll(messages: Messages, all: readonly MessageSummaryBody[]): Messages {
	const rows = messages.filter === '' ? all : all.filter(matcher(messages.filter));
	const shown = withRows(messages.shown, rows);
	return {...messages, all, shown: messages.follow && rows[0] ? {...shown, selected: rows[0].id} : shown};
}

/** The filter's text in the sender, the subject or the recipient. */
function matcher(filter: string): (message: MessageSummaryBody) => boolean {
	const pattern = matcherOf(filter);
	return ({from, subject, to}) => [from, subject, to].some(text => text.search(pattern) >= 0);
}
