import {ApiError} from '../../../client/errors.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import {causeOf} from '../../../lib/errors.js';
import {withSeen} from '../../core/inboxes.js';
import type {MissingData} from '../../core/loader.js';
import {isCorrection, type ListRead} from '../../core/message-list.js';
import type {Web} from '../context.js';
import {
	isFilter,
	keyOfPlace,
	type ListPlace,
	listPlace,
	listRead,
	openMessageIn,
	shownList,
	shownRows,
	updatedList,
	withAnswer,
	withTarget,
} from '../state/message-list.js';
import type {ListFilter} from '../state/route.js';
import type {MessageListState, WebState} from '../state/state.js';

/** Opens a message of the list. Its parts are then read by `missingParts`. */
export function openMessage(web: Web, {inbox_id: inboxId, id: messageId}: MessageSummaryBody, how?: 'replace'): void {
	const place = listPlace(web.store.get());
	if (place) {
		const tab = openMessageIn(web.store.get())?.tab;
		web.go({screen: 'mail', inboxId: place.inboxId, filter: place.filter, open: {inboxId, messageId, tab}}, how);
	}
}

/**
 * Opens the message `by` rows further down and turns auto-open off; the first one in view if none is open. If the row of the
 * open message is just being read, the step waits for it.
 */
export function moveInList(web: Web, by: number): void {
	const from = openMessageIn(web.store.get())?.messageId;
	updateList(web, list => {
		const before = list.step?.from === from ? (list.step?.by ?? 0) : 0;
		return {...list, step: {from, by: before + by}, follow: false};
	});
	takeStep(web);
}

function takeStep(web: Web): void {
	const state = web.store.get();
	const {view, step} = shownList(state);
	if (step === undefined) {
		return;
	}

	const {top, rows, total} = shownRows(state);
	const openId = openMessageIn(state)?.messageId;
	const open = rows.findIndex(({id}) => id === openId);
	const isViewRead = top <= view.start && top + rows.length >= Math.min(view.end, total);
	if (step.from === openId && open < 0 && !isViewRead) {
		return;
	}

	const wanted = open < 0 ? Math.max(0, view.start - top) : open + step.by;
	const index = Math.max(0, Math.min(rows.length - 1, wanted));
	const row = step.from === openId ? rows[index] : undefined;
	updateList(web, list => ({...(row ? withTarget(list, top + index) : list), step: undefined}));
	if (row) {
		openMessage(web, row, 'replace');
	}
}

/** Scrolls to the first row of the list, or to the last. */
export function scrollToEnd(web: Web, end: 'newest' | 'oldest'): void {
	const {total} = shownRows(web.store.get());
	updateList(web, list => withTarget(list, end === 'newest' ? 0 : Math.max(0, total - 1)));
}

/** Opens the newest message, or the oldest, as soon as it was read, unless the user opens something else before. */
export function openEnd(web: Web, end: 'newest' | 'oldest'): void {
	scrollToEnd(web, end);
	updateList(web, list => ({...list, follow: false}));
	const {route} = web.store.get();
	const open = () => {
		const {top, rows, total} = shownRows(web.store.get());
		const newest = top === 0 ? rows[0] : undefined;
		const oldest = top + rows.length >= total ? rows.at(-1) : undefined;
		const row = end === 'newest' ? newest : oldest;
		if (row && web.store.get().route === route) {
			openMessage(web, row, 'replace');
		}

		return row !== undefined || web.store.get().route !== route;
	};
	if (!open()) {
		const stop = web.store.subscribe(() => {
			if (open()) {
				stop();
			}
		});
	}
}

/** Turns auto-open on or off: while it is on, the newest message is opened as it arrives. */
export function switchFollow(web: Web): void {
	updateList(web, list => ({...list, follow: !list.follow}));
	if (shownList(web.store.get()).follow) {
		scrollToEnd(web, 'newest');
		openNewest(web);
	}
}

/** Filters the list. The open message stays open. */
export function filterList(web: Web, filter: ListFilter): void {
	const place = listPlace(web.store.get());
	if (place) {
		web.go({screen: 'mail', inboxId: place.inboxId, filter, open: openMessageIn(web.store.get())}, 'replace');
	}
}

/** Follows changes of the list: opens arrivals if auto-open is on, takes a waiting step, and marks the open message as seen. */
export function followList(web: Web): void {
	let before: WebState | undefined;
	web.store.subscribe(() => {
		const state = web.store.get();
		const hasNewRows = before?.list.rows !== state.list.rows && shownList(state) === state.list;
		const isOpened = before?.route !== state.route || before.unseen !== state.unseen;
		before = state;
		if (hasNewRows && state.list.follow) {
			openNewest(web);
		}

		takeStep(web);
		const open = isOpened ? openMessageIn(state) : undefined;
		if (open && document.visibilityState === 'visible') {
			web.store.update(({unseen}) => ({unseen: withSeen(unseen, open.inboxId, open.messageId)}));
		}
	});
}

function openNewest(web: Web): void {
	const state = web.store.get();
	const {top, rows} = shownRows(state);
	const [newest] = rows;
	if (top === 0 && newest && newest.id !== openMessageIn(state)?.messageId) {
		openMessage(web, newest, 'replace');
	}
}

function updateList({store}: Web, update: (list: MessageListState) => MessageListState): void {
	store.update(state => updatedList(state, update));
}

/** Delay before a request that only corrects the list, because more events may arrive. */
const correctionMs = 250;

/** Finds the rows in view, if they must be read. */
export function missingRows(state: WebState, {messages}: Web['api']): MissingData<WebState> | undefined {
	const next = listRead(state);
	if (next === undefined) {
		return undefined;
	}

	const {place, read} = next;
	return {
		name: nameOf(place, read),
		delayMs: isCorrection(shownList(state), read) ? correctionMs : 0,
		async read() {
			const rows = await readRows(messages, place, read);
			return state => updatedList(state, list => withAnswer(list, place, read, rows));
		},
		failed(error) {
			if (!isFilter(place.filter) || !(error instanceof ApiError) || error.status !== 400) {
				return {notice: {text: causeOf(error), tone: 'error'}};
			}

			const problem = {field: error.errors?.[0]?.field, message: error.message};
			return state => updatedList(state, list => ({...list, rows: [], isComplete: true, problem}));
		},
	};
}

/**
 * Name of a request, without the changes before it and without the page: otherwise no answer would ever be accepted while mail
 * keeps arriving and moves the rows.
 */
function nameOf(place: ListPlace, read: ListRead): string {
	return `${keyOfPlace(place)} ${JSON.stringify({...read, changes: 0, page: 0})}`;
}

async function readRows(messages: Web['api']['messages'], {inboxId, filter}: ListPlace, read: ListRead) {
	const {limit} = read;
	const range = {
		page: {page: read.kind === 'page' ? read.page : 1},
		newest: {},
		older: {before: read.kind === 'older' ? read.before : undefined},
		arrivals: {after: read.kind === 'arrivals' ? read.after : undefined},
	}[read.kind];
	return inboxId === undefined
		? messages.summariesOfAll({...filter, ...range, limit})
		: messages.summaries(inboxId, {...filter, ...range, limit});
}
