import type {EventBody} from '../../../contract/events.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import {type FilterProblem, filterProblem, type ListFilter} from './route.js';

/** The rows in view, and a few more. */
type ListView = {readonly start: number; readonly end: number};

/** Whose mail is listed: that of an inbox, or (undefined) of all. */
export type ListPlace = {readonly inboxId: string | undefined; readonly filter: ListFilter};

/**
 * The list of the open place. Of one inbox it is known how many messages there are, so any stretch of them can be read by
 * itself; all other lists are read from the newest on.
 */
export type MessageListState = {
	/** The place; rows of another one are not those of this. */
	readonly key: string;
	/** The revision of the state for which it was read; -1 when it is to be read anew. */
	readonly revision: number;
	/** Rows next to each other, newest first. */
	readonly rows: readonly MessageSummaryBody[];
	/** How many are above them. */
	readonly top: number;
	/** Where an inbox was seen to end, as long as nothing changes. */
	readonly end: number | undefined;
	/** Whether it reaches to the oldest; only of a list that is read from the newest on. */
	readonly isComplete: boolean;
	/**
	 * What is not known to be right: where the rows are, or also which ones are there. Then what is in view is read again when
	 * nothing changes for a moment.
	 */
	readonly doubt: 'none' | 'places' | 'rows';
	/** Counts up with what events tell of the place. */
	readonly changes: number;
	/** What was asked for before this change is of no use: all was deleted, or too much came and went to be remembered. */
	readonly since: number;
	/** What came, the newest last, each with the change that told of it. */
	readonly recent: ReadonlyArray<{readonly row: MessageSummaryBody; readonly change: number}>;
	/** Ids of deleted messages, which a page that was asked for earlier may still hold, each with the change that told of it. */
	readonly gone: ReadonlyMap<string, number>;
	/** When the first message came that may fit the filter and was not looked at. */
	readonly news: string | undefined;
	/** How many came above what is in view. */
	readonly above: number;
	/** Whether the newest message is opened as it arrives. */
	readonly follow: boolean;
	readonly view: ListView;
	readonly problem: FilterProblem | undefined;
	/** The row to bring into view, once for each number. */
	readonly wanted: {readonly index: number; readonly number: number};
	/** How far from an open message (undefined: none) to go, as soon as it is known where that is. */
	readonly step: {readonly from: string | undefined; readonly by: number} | undefined;
};

/** Rows that are read at once. */
export const rowsAtOnce = 50;

export const noMessageList: MessageListState = {
	key: '',
	revision: -1,
	rows: [],
	top: 0,
	end: undefined,
	isComplete: false,
	doubt: 'none',
	changes: 0,
	since: 0,
	recent: [],
	gone: new Map(),
	news: undefined,
	above: 0,
	follow: false,
	view: {start: 0, end: rowsAtOnce},
	problem: undefined,
	wanted: {index: 0, number: 0},
	step: undefined,
};

/** A name for the place. */
export function keyOfPlace({inboxId, filter}: ListPlace): string {
	return JSON.stringify([inboxId ?? null, filter]);
}

/** Whether the list has all that the inbox has, of which it is known how many there are. */
export function isCounted({inboxId, filter}: ListPlace): boolean {
	return inboxId !== undefined && !isFilter(filter);
}

/** Whether it asks for anything. */
export function isFilter({match, ...asked}: ListFilter): boolean {
	return Object.values(asked).some(value => value !== undefined && value !== '' && String(value) !== '');
}

/** The list of the place, which is empty when another one was listed. */
export function listAt(list: MessageListState, place: ListPlace): MessageListState {
	const key = keyOfPlace(place);
	if (list.key === key) {
		return list;
	}

	const problem = filterProblem(place.filter);
	const {follow, wanted} = list;
	return {...noMessageList, key, follow, wanted, problem, isComplete: problem !== undefined};
}

/** Whether the newest row is in view and may give way to what comes. */
export function sticksToNewest({view, follow}: MessageListState, isOpen: boolean): boolean {
	return view.start === 0 && (follow || !isOpen);
}

/** Other rows in view. At the top nothing new is above. */
export function withView(list: MessageListState, view: ListView): MessageListState {
	const isSame = list.view.start === view.start && list.view.end === view.end;
	return isSame && (list.above === 0 || view.start > 0)
		? list
		: {...list, view, above: view.start === 0 ? 0 : Math.min(list.above, view.start)};
}

/** Brings a row into view. */
export function withWanted(list: MessageListState, index: number): MessageListState {
	return {...list, wanted: {index, number: list.wanted.number + 1}};
}

/** Rows beyond those in view that are kept, on each side. */
const keptBeside = 400;

/** Without the rows that are far from view. */
function trimmed(list: MessageListState, counted: boolean): MessageListState {
	const {rows, top, view} = list;
	if (rows.length <= 4 * keptBeside) {
		return list;
	}

	const from = counted ? Math.min(rows.length, Math.max(0, view.start - keptBeside - top)) : 0;
	const to = Math.max(from, view.end + keptBeside - top);
	return {
		...list,
		rows: rows.slice(from, to),
		top: top + from,
		isComplete: list.isComplete && to >= rows.length,
	};
}

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
function joined(
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
