import type {MessageSummaryBody} from '../../../contract/messages.js';
import {isFilter, type ListPlace, type MessageListState, rowsAtOnce, trimmed} from './message-list.js';

/** What a list lacks, and where it was when that was asked for. */
export type ListRead = {readonly changes: number; readonly revision: number} & (
	| {readonly kind: 'page'; readonly page: number}
	/** The newest, in place of all that is there. */
	| {readonly kind: 'newest'}
	| {readonly kind: 'more'; readonly before: string}
	/** What came since then and fits the filter. */
	| {readonly kind: 'news'; readonly after: string}
);

/** Rows of the end of a list that are in view before more is read. */
const ahead = 20;

/** What the list of one inbox lacks, which has so many messages. */
export function countedRead(list: MessageListState, revision: number, count: number): ListRead | undefined {
	const {top, rows, view, changes, doubt} = list;
	const total = totalOf(list, count);
	const pageOf = (index: number): ListRead => ({
		kind: 'page',
		page: Math.floor(index / rowsAtOnce) + 1,
		changes,
		revision,
	});
	const start = Math.max(0, Math.min(view.start, total - 1));
	if (list.revision !== revision) {
		return pageOf(start);
	}

	const end = Math.min(view.end, total);
	const missing = start < top || start >= top + rows.length ? start : top + rows.length;
	if (start < end && missing < end) {
		return pageOf(missing);
	}

	return doubt === 'none' ? undefined : pageOf(start);
}

/** What a list lacks that is read from the newest on. */
export function chainedRead(list: MessageListState, revision: number): ListRead | undefined {
	const {rows, view, changes, news, isComplete} = list;
	const last = rows.at(-1);
	if (list.revision !== revision || (last === undefined && !isComplete)) {
		return {kind: 'newest', changes, revision};
	}

	if (news !== undefined) {
		return {kind: 'news', after: news, changes, revision};
	}

	return last !== undefined && !isComplete && view.end + ahead > rows.length
		? {kind: 'more', before: last.id, changes, revision}
		: undefined;
}

/** How many rows there are of an inbox that has so many messages. */
export function totalOf({end}: MessageListState, count: number): number {
	return end ?? count;
}

/** Takes in what was read. */
export function withRead(
	list: MessageListState,
	place: ListPlace,
	read: ListRead,
	found: readonly MessageSummaryBody[],
): MessageListState {
	if (read.changes < list.since) {
		return list;
	}

	const page = found.filter(({id}) => !list.gone.has(id));
	const isLast = found.length < rowsAtOnce;
	switch (read.kind) {
		case 'page':
			return trimmed(withPageOf(list, read, page, isLast), true);
		case 'newest': {
			const rows = withMeanwhile(list, place, read, page, isLast);
			const {revision} = read;
			return {...list, revision, rows, top: 0, isComplete: isLast, doubt: 'none', ...newsLeft(list, place, read)};
		}

		case 'more':
			return {...list, rows: withMeanwhile(list, place, read, [...list.rows, ...page], isLast), isComplete: isLast};
		case 'news':
			// There may be more than these: then all is read anew.
			return {
				...list,
				rows: joined(place, page, list.rows),
				...newsLeft(list, place, read),
				revision: isLast ? list.revision : -1,
			};
	}
}

/** Nobody looked at what came after this was asked for. */
function newsLeft({recent}: MessageListState, {filter}: ListPlace, {changes}: ListRead) {
	const left = recent.filter(({change}) => change > changes).map(({row}) => row.received_at);
	return {news: isFilter(filter) ? left.toSorted()[0] : undefined};
}

/** With what came while the page was read, as far as it is not behind the last row. */
function withMeanwhile(
	{recent}: MessageListState,
	place: ListPlace,
	{changes}: ListRead,
	rows: readonly MessageSummaryBody[],
	isLast: boolean,
): readonly MessageSummaryBody[] {
	const last = isLast ? '' : (rows.at(-1)?.id ?? '');
	const came = recent.filter(({row, change}) => change > changes && row.id > last).map(({row}) => row);
	return joined(place, isFilter(place.filter) ? [] : came.reverse(), rows);
}

/** Newer rows before others, each once. All mail is in the order of its ids. */
export function joined(
	{inboxId}: Pick<ListPlace, 'inboxId'>,
	newer: readonly MessageSummaryBody[],
	rows: readonly MessageSummaryBody[],
): readonly MessageSummaryBody[] {
	const all = [...new Map([...newer, ...rows].map(row => [row.id, row])).values()];
	return inboxId === undefined ? all.sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)) : all;
}

type PageOf = Extract<ListRead, {kind: 'page'}>;

type Rows = Pick<MessageListState, 'rows' | 'top' | 'doubt'>;

/**
 * Puts a page where it belongs. When nothing came or went meanwhile, that is where it was asked for, and known rows that do not
 * fit with it are dropped. Else it is found by what it shares with them, and looked at again.
 */
function withPageOf(
	list: MessageListState,
	{page, changes, revision}: PageOf,
	found: readonly MessageSummaryBody[],
	isLast: boolean,
): MessageListState {
	const asked = (page - 1) * rowsAtOnce;
	const isExact = list.changes === changes;
	const known: Rows = list.revision === revision ? list : {rows: [], top: 0, doubt: 'none'};
	const end = isExact && isLast ? asked + found.length : undefined;
	const placed = isExact ? exactly(known, found, asked, isLast) : about(list, known, found, asked, changes);
	return {...list, revision, end, ...placed};
}

function exactly(known: Rows, rows: readonly MessageSummaryBody[], top: number, isLast: boolean): Rows {
	const alone: Rows = {rows, top, doubt: 'none'};
	const moved = {...known, top: known.top + (shiftOf(known, rows, top) ?? 0)};
	const isKept = known.doubt === 'none' || (known.doubt === 'places' && overlap(moved, rows, top));
	return isKept ? (merged(moved, rows, top, isLast) ?? alone) : alone;
}

/** The same where something came or went meanwhile. */
function about(
	{recent}: MessageListState,
	known: Rows,
	found: readonly MessageSummaryBody[],
	asked: number,
	changes: number,
): Rows {
	const shift = shiftOf(known, found, asked);
	const ids = new Set(found.map(({id}) => id));
	const came = recent.filter(({row, change}) => change > changes && !ids.has(row.id)).map(({row}) => row);
	// What came moved them down, as it did with what is in view.
	const top = Math.max(0, asked - (shift ?? (asked > 0 ? -came.length : 0)));
	const first = found[0]?.id ?? '';
	const newer = top > 0 || shift !== undefined ? [] : came.filter(({id}) => id > first).reverse();
	const rows = [...newer, ...found];
	const isSure = shift !== undefined || newer.length === came.length;
	const all = merged(known, rows, top, false);
	const doubt = all && isSure && overlap(known, rows, top) && known.doubt !== 'rows' ? 'places' : 'rows';
	return {...(all ?? {rows, top}), doubt};
}

/** How far known rows are from where a page has them; undefined when it has none of them. */
function shiftOf(known: Rows, rows: readonly MessageSummaryBody[], top: number): number | undefined {
	const places = new Map(known.rows.map(({id}, index) => [id, known.top + index]));
	const shared = rows.findIndex(({id}) => places.has(id));
	return shared < 0 ? undefined : top + shared - (places.get(rows[shared]?.id ?? '') ?? 0);
}

function overlap(known: Rows, rows: readonly MessageSummaryBody[], top: number): boolean {
	return known.top < top + rows.length && top < known.top + known.rows.length;
}

/** Rows among those that are there; undefined where the two do not fit together. */
function merged(known: Rows, rows: readonly MessageSummaryBody[], top: number, isLast: boolean): Rows | undefined {
	const bottom = top + rows.length;
	if (known.top + known.rows.length < top || known.top > bottom) {
		return undefined;
	}

	const above = known.rows.slice(0, Math.max(0, top - known.top));
	const below = isLast ? [] : known.rows.slice(Math.max(0, bottom - known.top));
	const all = [...above, ...rows, ...below];
	const fits = rows.every(({id}, index) => {
		const other = known.rows[top + index - known.top];
		return other === undefined || other.id === id;
	});
	const isDouble = new Set(all.map(({id}) => id)).size < all.length;
	return fits && !isDouble ? {rows: all, top: Math.min(top, known.top), doubt: 'none'} : undefined;
}
