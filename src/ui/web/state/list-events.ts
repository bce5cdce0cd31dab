import type {EventBody} from '../../../contract/events.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import {joined} from './list-reads.js';
import {isCounted, isFilter, type ListPlace, type MessageListState, sticksToNewest, trimmed} from './message-list.js';

/** What came last, and what went: what was asked for before all of that is asked for again. */
const maxRecent = 2000;

/** Takes in what events told of the place. */
export function withListEvents(
	list: MessageListState,
	place: ListPlace,
	events: readonly EventBody[],
	isOpen: boolean,
): MessageListState {
	const own = events.filter(event => concerns(event, place));
	if (own.length === 0) {
		return list;
	}

	const change = list.changes + 1;
	const known = new Set([...list.rows.map(({id}) => id), ...list.recent.map(({row}) => row.id), ...list.gone.keys()]);
	const deleted = own.flatMap(event => (event.type === 'message.deleted' ? [event.message_id] : []));
	const gone = new Map([...list.gone, ...deleted.map(id => [id, change] as const)]);
	const received = own.flatMap(event => (event.type === 'message.received' ? [event.message] : []));
	const came = received.filter(({id}) => !known.has(id) && !gone.has(id)).reverse();
	const recent = [...list.recent, ...came.toReversed().map(row => ({row, change}))].filter(
		({row}) => !gone.has(row.id),
	);
	const forgotten = [recent.at(-maxRecent - 1)?.change, [...gone.values()].at(-maxRecent - 1)];
	const next = {
		...list,
		changes: change,
		since: Math.max(list.since, ...forgotten.map(change => change ?? 0)),
		end: undefined,
		recent: recent.slice(-maxRecent),
		gone: new Map([...gone].slice(-maxRecent)),
	};
	const left = without(next, deleted);
	const isEmptied = own.some(({type}) => type === 'messages.deleted' || type === 'inbox.deleted');
	const grown = withArrivals(left, place, came, sticksToNewest(list, isOpen));
	return trimmed(isEmptied ? emptied(grown, own) : grown, isCounted(place));
}

function concerns(event: EventBody, {inboxId}: ListPlace): boolean {
	switch (event.type) {
		case 'message.received':
			return inboxId === undefined || event.message.inbox_id === inboxId;
		case 'message.deleted':
		case 'messages.deleted':
		case 'inbox.deleted':
			return inboxId === undefined || event.inbox_id === inboxId;
		default:
			return false;
	}
}

/** With what came, the newest first. What was not read yet is read with what came. */
function withArrivals(
	list: MessageListState,
	place: ListPlace,
	came: readonly MessageSummaryBody[],
	sticks: boolean,
): MessageListState {
	const {rows, top, view, isComplete} = list;
	const count = came.length;
	if (count === 0 || list.revision < 0) {
		return list;
	}

	if (isFilter(place.filter)) {
		const first = came.map(row => row.received_at).toSorted()[0];
		return {...list, news: list.news ?? first};
	}

	const moved = sticks ? {} : {view: {start: view.start + count, end: view.end + count}, above: list.above + count};
	if (isCounted(place)) {
		// An event may tell late of what was read already, together with what came before it.
		const first = rows[0]?.id ?? '';
		const fits = top === 0 && came.every(({id}) => id > first);
		return fits
			? {...list, ...moved, rows: [...came, ...rows]}
			: {...list, ...moved, ...(top === 0 ? {doubt: 'rows'} : {top: top + count, ...doubtful(list)})};
	}

	const last = isComplete ? '' : (rows.at(-1)?.id ?? '');
	return {
		...list,
		...moved,
		rows: joined(
			place,
			came.filter(({id}) => id > last),
			rows,
		),
	};
}

/** Of a message that is not among the rows it is told from its id whether it was above them. */
function without(list: MessageListState, ids: readonly string[]): MessageListState {
	if (ids.length === 0) {
		return list;
	}

	const gone = new Set(ids);
	const rows = list.rows.filter(({id}) => !gone.has(id));
	const unknown = ids.length - (list.rows.length - rows.length);
	const first = list.rows[0]?.id ?? '';
	const above = unknown === 0 ? 0 : ids.filter(id => id > first).length;
	return {...list, rows, top: Math.max(0, list.top - above), ...(unknown > 0 && doubtful(list))};
}

/** Of a list whose rows may be elsewhere. */
function doubtful({doubt}: MessageListState): Pick<MessageListState, 'doubt'> {
	return {doubt: doubt === 'none' ? 'places' : doubt};
}

/** Without all that the inboxes had; read anew, for something may have come meanwhile. */
function emptied(list: MessageListState, events: readonly EventBody[]): MessageListState {
	const ids = new Set(
		events.flatMap(event =>
			event.type === 'messages.deleted' || event.type === 'inbox.deleted' ? [event.inbox_id] : [],
		),
	);
	return {...list, rows: list.rows.filter(({inbox_id: id}) => !ids.has(id)), revision: -1, since: list.changes};
}
