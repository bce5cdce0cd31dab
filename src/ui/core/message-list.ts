import type {EventBody} from '../../contract/events.js';
import type {MessageSummaryBody} from '../../contract/messages.js';
import type {RowRange} from './list.js';

/** Row of a list of messages. */
export type MessageRow = MessageSummaryBody & {
	/** Codes and recipients, one per line; undefined until they were read. Only the terminal UI filters by them. */
	readonly also?: string;
};

/** Messages that a list shows. */
export type ListScope = {
	/** Undefined for all inboxes. */
	readonly inboxId: string | undefined;
	/** True if the daemon filters the list, so that it must be asked whether an arrival belongs there. */
	readonly isFiltered: boolean;
	/** True if the number of messages is known, so that any part of the list can be read without the rows before it. */
	readonly isCounted: boolean;
};

/**
 * Consecutive rows of a list of messages, newest first. They are extended by cursor. Answers and events may cross: a change
 * that an answer may not contain is kept and applied to the answer.
 */
export type MessageList = {
	/** Revision of the state that was read; -1 to read the list again. */
	readonly revision: number;
	readonly rows: readonly MessageRow[];
	/** Number of newer messages before the first row. */
	readonly top: number;
	/** False if `top` may be wrong; the rows in view are then read again. */
	readonly isExact: boolean;
	/** True if the last row is the oldest message. */
	readonly isComplete: boolean;
	/** Number of applied batches of events. */
	readonly changes: number;
	/** Answers to requests that were sent before this change are dropped. */
	readonly validSince: number;
	/** Latest arrivals, oldest first, each with its change. */
	readonly arrivals: ReadonlyArray<{readonly row: MessageRow; readonly change: number}>;
	/** Ids of the latest deleted messages, each with its change. */
	readonly deleted: ReadonlyMap<string, number>;
	/** Time of the first arrival that was not matched against the filter; undefined for none. */
	readonly unmatchedSince: string | undefined;
};

/** Request for rows of a list. `changes` and `revision` are the values of the list at the time of sending. */
export type ListRead = {readonly changes: number; readonly revision: number; readonly limit: number} & (
	| {readonly kind: 'newest'}
	| {readonly kind: 'older'; readonly before: string}
	/** Part of a counted list. */
	| {readonly kind: 'page'; readonly page: number}
	/** Arrivals that match the filter. */
	| {readonly kind: 'arrivals'; readonly after: string}
);

/** Maximum number of arrivals and of deleted ids that are kept. */
const maxRecent = 2000;

/** Number of rows below the view from which on more rows are read. */
const lookAhead = 20;

export const emptyMessageList: MessageList = {
	revision: -1,
	rows: [],
	top: 0,
	isExact: true,
	isComplete: false,
	changes: 0,
	validSince: 0,
	arrivals: [],
	deleted: new Map(),
	unmatchedSince: undefined,
};

/** Next request that the list needs for the rows in view; undefined for none. `count` is the number of messages of a counted list. */
export function nextListRead(
	list: MessageList,
	{revision, view, limit, count}: {revision: number; view: RowRange; limit: number; count?: number | undefined},
): ListRead | undefined {
	const {rows, top, changes, isComplete} = list;
	const request = {changes, revision, limit};
	const last = rows.at(-1);
	const end = top + rows.length;
	const isCurrent = list.revision === revision && (last !== undefined || isComplete);
	if (count === undefined) {
		if (!isCurrent) {
			return {...request, kind: 'newest'};
		}

		if (list.unmatchedSince !== undefined) {
			return {...request, kind: 'arrivals', after: list.unmatchedSince};
		}

		return last && !isComplete && view.end + lookAhead > end ? {...request, kind: 'older', before: last.id} : undefined;
	}

	const total = totalOf(list, count);
	const start = Math.max(0, Math.min(view.start, total - 1));
	const page = {...request, kind: 'page', page: Math.floor(start / limit) + 1} as const;
	if (!isCurrent || start < top || start > end) {
		return page;
	}

	if (last && !isComplete && end < Math.min(view.end, total)) {
		return {...request, kind: 'older', before: last.id};
	}

	return list.isExact ? undefined : page;
}

/** True if the request only corrects the list: it can wait until no more events arrive. */
export function isCorrection(list: MessageList, read: ListRead): boolean {
	return read.kind === 'arrivals' || (read.kind === 'page' && list.revision === read.revision && !list.isExact);
}

/** Number of messages of a counted list: `count`, unless the oldest one was read. */
export function totalOf({top, rows, isComplete, isExact}: MessageList, count: number): number {
	return isComplete && isExact ? top + rows.length : Math.max(count, top + rows.length);
}

/** The list with the answer to a request. */
export function withListRead(
	list: MessageList,
	scope: ListScope,
	read: ListRead,
	answer: readonly MessageRow[],
): MessageList {
	if (read.changes < list.validSince) {
		return list;
	}

	const found = answer.filter(({id}) => !list.deleted.has(id));
	const isLast = answer.length < read.limit;
	switch (read.kind) {
		case 'newest':
			return {
				...list,
				revision: read.revision,
				rows: withArrivalsSince(list, scope, read, found, isLast),
				top: 0,
				isExact: true,
				isComplete: isLast,
				unmatchedSince: unmatchedAfter(list, scope, read),
			};
		case 'older': {
			const rows = withArrivalsSince(list, scope, read, [...list.rows, ...found], isLast);
			// If the cursor was deleted unnoticed, the answer may hold only known rows. The list is then read again.
			const isStuck = !isLast && rows.length === list.rows.length;
			return {...list, rows, isComplete: isLast, revision: isStuck ? -1 : list.revision};
		}

		case 'page':
			return withPage(list, read, found, isLast);
		case 'arrivals':
			// If there may be more arrivals than the answer holds, the list is read again.
			return {
				...list,
				rows: joinRows(scope, found, list.rows),
				unmatchedSince: unmatchedAfter(list, scope, read),
				revision: isLast ? list.revision : -1,
			};
	}
}

/** The list after events, in order; and the arrivals that it got, newest first. */
export function withListEvents(
	list: MessageList,
	scope: ListScope,
	events: readonly EventBody[],
): {readonly list: MessageList; readonly arrivals: readonly MessageRow[]} {
	const own = events.filter(event => concerns(event, scope));
	if (own.length === 0) {
		return {list, arrivals: []};
	}

	const change = list.changes + 1;
	const known = new Set([
		...list.rows.map(({id}) => id),
		...list.arrivals.map(({row}) => row.id),
		...list.deleted.keys(),
	]);
	const deletedIds = own.flatMap(event => (event.type === 'message.deleted' ? [event.message_id] : []));
	const deleted = new Map([...list.deleted, ...deletedIds.map(id => [id, change] as const)]);
	const arrivals = own
		.flatMap(event => (event.type === 'message.received' ? [event.message] : []))
		.filter(({id}) => !known.has(id) && !deleted.has(id));
	const recent = [...list.arrivals, ...arrivals.map(row => ({row, change}))].filter(({row}) => !deleted.has(row.id));
	const forgotten = [recent.at(-maxRecent - 1)?.change, [...deleted.values()].at(-maxRecent - 1)];
	const next: MessageList = {
		...list,
		changes: change,
		validSince: Math.max(list.validSince, ...forgotten.map(change => change ?? 0)),
		arrivals: recent.slice(-maxRecent),
		deleted: new Map([...deleted].slice(-maxRecent)),
	};
	const newest = arrivals.toReversed();
	const grown = withArrivals(withoutRows(next, scope, deletedIds), scope, newest);
	return {list: withoutEmptied(grown, own), arrivals: list.revision < 0 ? [] : newest};
}

/** The list with only the rows near the view, if it has become long. */
export function trimList(list: MessageList, {isCounted}: ListScope, view: RowRange): MessageList {
	const {rows, top, isComplete} = list;
	if (rows.length <= 4 * keptBeside) {
		return list;
	}

	const from = isCounted ? Math.min(rows.length, Math.max(0, view.start - keptBeside - top)) : 0;
	const to = Math.max(from, view.end + keptBeside - top);
	return {...list, rows: rows.slice(from, to), top: top + from, isComplete: isComplete && to >= rows.length};
}

/** Number of rows that are kept on each side of the view. */
const keptBeside = 400;

function concerns(event: EventBody, {inboxId}: ListScope): boolean {
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

function withArrivals(list: MessageList, scope: ListScope, newest: readonly MessageRow[]): MessageList {
	const {rows, top, isComplete} = list;
	if (newest.length === 0 || list.revision < 0) {
		return list;
	}

	if (scope.isFiltered) {
		const first = newest.map(row => row.received_at).toSorted()[0];
		return {...list, unmatchedSince: list.unmatchedSince ?? first};
	}

	if (!scope.isCounted) {
		const last = isComplete ? '' : (rows.at(-1)?.id ?? '');
		const inside = newest.filter(({id}) => id > last);
		return {...list, rows: joinRows(scope, inside, rows)};
	}

	if (top > 0) {
		return {...list, top: top + newest.length, isExact: false};
	}

	// A late event may be about a message that was read already, or that lies below the rows.
	const first = rows[0]?.id ?? '';
	return newest.every(({id}) => id > first) ? {...list, rows: [...newest, ...rows]} : {...list, isExact: false};
}

function withoutRows(list: MessageList, {isCounted}: ListScope, ids: readonly string[]): MessageList {
	if (ids.length === 0) {
		return list;
	}

	const deleted = new Set(ids);
	const rows = list.rows.filter(({id}) => !deleted.has(id));
	const others = ids.length - (list.rows.length - rows.length);
	if (!isCounted || others === 0) {
		return {...list, rows};
	}

	// Ids mostly ascend, so they tell whether the message was before the rows or after them.
	const first = list.rows[0]?.id ?? '';
	const above = ids.filter(id => id > first).length;
	return {...list, rows, top: Math.max(0, list.top - above), isExact: false};
}

/** Removes the messages of emptied and deleted inboxes; the list is read again, because mail may have arrived since. */
function withoutEmptied(list: MessageList, events: readonly EventBody[]): MessageList {
	const ids = new Set(
		events.flatMap(event =>
			event.type === 'messages.deleted' || event.type === 'inbox.deleted' ? [event.inbox_id] : [],
		),
	);
	return ids.size === 0
		? list
		: {
				...list,
				rows: list.rows.filter(({inbox_id: id}) => !ids.has(id)),
				revision: -1,
				isComplete: false,
				validSince: list.changes,
			};
}

function unmatchedAfter({arrivals}: MessageList, {isFiltered}: ListScope, {changes}: ListRead): string | undefined {
	const times = arrivals.filter(({change}) => change > changes).map(({row}) => row.received_at);
	return isFiltered ? times.toSorted()[0] : undefined;
}

/** Adds arrivals that the answer to the request may lack, unless they belong below its last row. */
function withArrivalsSince(
	{arrivals}: MessageList,
	scope: ListScope,
	{changes}: ListRead,
	rows: readonly MessageRow[],
	isLast: boolean,
): readonly MessageRow[] {
	if (scope.isFiltered || scope.isCounted) {
		return joinRows(scope, [], rows);
	}

	const last = isLast ? '' : (rows.at(-1)?.id ?? '');
	const missed = arrivals.filter(({row, change}) => change > changes && row.id > last).map(({row}) => row);
	return joinRows(scope, missed.reverse(), rows);
}

/** Puts newer rows before others, each once. A list of all inboxes is in the order of ids. */
function joinRows(
	{inboxId}: ListScope,
	newer: readonly MessageRow[],
	rows: readonly MessageRow[],
): readonly MessageRow[] {
	const all = [...new Map([...newer, ...rows].map(row => [row.id, row])).values()];
	return inboxId === undefined ? all.sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)) : all;
}

/**
 * Puts a page into a counted list. If nothing changed since the request, it joins the rows that it touches. Otherwise it
 * replaces them, and its place is an estimate.
 */
function withPage(
	list: MessageList,
	{page, limit, changes, revision}: Extract<ListRead, {kind: 'page'}>,
	found: readonly MessageRow[],
	isLast: boolean,
): MessageList {
	const requested = (page - 1) * limit;
	const isExact = list.changes === changes;
	const ids = new Set(found.map(({id}) => id));
	const missed = list.arrivals.filter(({row, change}) => change > changes && !ids.has(row.id)).map(({row}) => row);
	const alone =
		requested === 0 ? {rows: [...missed.reverse(), ...found], top: 0} : {rows: found, top: requested + missed.length};
	const joined =
		isExact && list.isExact && list.revision === revision ? joinPage(list, found, requested, isLast) : undefined;
	return {...list, revision, isExact, isComplete: isLast, ...(joined ?? alone)};
}

/** Undefined if the page does not touch the rows, or contradicts them. */
function joinPage(
	{rows, top, isComplete}: MessageList,
	found: readonly MessageRow[],
	start: number,
	isLast: boolean,
): Pick<MessageList, 'rows' | 'top' | 'isComplete'> | undefined {
	const end = start + found.length;
	if (end < top || start > top + rows.length) {
		return undefined;
	}

	const above = rows.slice(0, Math.max(0, start - top));
	const below = isLast ? [] : rows.slice(Math.max(0, end - top));
	const all = [...above, ...found, ...below];
	const fits = found.every(({id}, index) => (rows[start + index - top]?.id ?? id) === id);
	return fits && new Set(all.map(({id}) => id)).size === all.length
		? {rows: all, top: Math.min(top, start), isComplete: isLast || (below.length > 0 && isComplete)}
		: undefined;
}
