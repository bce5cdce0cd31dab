import type {MessageSummaryBody} from '../../../contract/messages.js';
import {type FilterProblem, filterProblem, type ListFilter} from './filter-query.js';

/** The rows in view, and a few more. */
export type ListView = {readonly start: number; readonly end: number};

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
export function trimmed(list: MessageListState, counted: boolean): MessageListState {
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
