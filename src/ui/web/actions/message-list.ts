import type {MessageSummaryBody} from '../../../contract/messages.js';
import {withSeen} from '../../core/inboxes.js';
import type {Web} from '../context.js';
import {type MessageListState, withWanted} from '../state/message-list.js';
import {listPlace, openIn, openList, shownRows, updatedList} from '../state/open-list.js';
import type {ListFilter} from '../state/route.js';
import type {WebState} from '../state/state.js';

/** Opens a message of the list. */
export function openMessage(web: Web, {inbox_id: inboxId, id: messageId}: MessageSummaryBody, how?: 'replace'): void {
	const place = listPlace(web.store.get());
	if (place) {
		const tab = openIn(web.store.get())?.tab;
		web.go({screen: 'mail', inboxId: place.inboxId, filter: place.filter, open: {inboxId, messageId, tab}}, how);
	}
}

/**
 * Opens the message that is so many rows further down, as far as it was read, and stops to follow. The first one is the first in
 * view. While what is in view is read, nobody knows where the open one is: then it waits for that.
 */
export function moveInList(web: Web, by: number): void {
	const from = openIn(web.store.get())?.messageId;
	change(web, list => {
		const before = list.step?.from === from ? (list.step?.by ?? 0) : 0;
		return {...list, step: {from, by: before + by}, follow: false};
	});
	takeStep(web);
}

function takeStep(web: Web): void {
	const state = web.store.get();
	const {view, step} = openList(state);
	if (step === undefined) {
		return;
	}

	const {top, rows, total} = shownRows(state);
	const openId = openIn(state)?.messageId;
	const open = rows.findIndex(({id}) => id === openId);
	const isViewRead = top <= view.start && top + rows.length >= Math.min(view.end, total);
	if (step.from === openId && open < 0 && !isViewRead) {
		return;
	}

	const wanted = open < 0 ? Math.max(0, view.start - top) : open + step.by;
	const index = Math.max(0, Math.min(rows.length - 1, wanted));
	const row = step.from === openId ? rows[index] : undefined;
	change(web, list => ({...(row ? withWanted(list, top + index) : list), step: undefined}));
	if (row) {
		openMessage(web, row, 'replace');
	}
}

/** Shows the first row of the list, or the last. */
export function showEnd(web: Web, end: 'newest' | 'oldest'): void {
	const {total} = shownRows(web.store.get());
	change(web, list => withWanted(list, end === 'newest' ? 0 : Math.max(0, total - 1)));
}

/** Opens the newest message, or the oldest, as soon as it was read; unless something else is opened meanwhile. */
export function openEnd(web: Web, end: 'newest' | 'oldest'): void {
	showEnd(web, end);
	change(web, list => ({...list, follow: false}));
	const {route} = web.store.get();
	const open = () => {
		const {top, rows, total} = shownRows(web.store.get());
		const row =
			end === 'newest' ? (top === 0 ? rows[0] : undefined) : top + rows.length >= total ? rows.at(-1) : undefined;
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

/** Opens the newest message, and each newer one as it arrives, or stops to. */
export function switchFollow(web: Web): void {
	change(web, list => ({...list, follow: !list.follow}));
	if (openList(web.store.get()).follow) {
		showEnd(web, 'newest');
		openNewest(web);
	}
}

/** Lists what fits the filter alone. What is open stays so. */
export function filterList(web: Web, filter: ListFilter): void {
	const place = listPlace(web.store.get());
	if (place) {
		web.go({screen: 'mail', inboxId: place.inboxId, filter, open: openIn(web.store.get())}, 'replace');
	}
}

/** Opens what arrives while the list follows, and has what is open be seen. */
export function keepList(web: Web): void {
	let shown: WebState | undefined;
	web.store.subscribe(() => {
		const state = web.store.get();
		const hasNews = shown?.list.rows !== state.list.rows && openList(state) === state.list;
		const isOpened = shown?.route !== state.route || shown.unseen !== state.unseen;
		shown = state;
		if (hasNews && state.list.follow) {
			openNewest(web);
		}

		takeStep(web);
		const open = isOpened ? openIn(state) : undefined;
		if (open && document.visibilityState === 'visible') {
			web.store.update(({unseen}) => ({unseen: withSeen(unseen, open.inboxId, open.messageId)}));
		}
	});
}

function openNewest(web: Web): void {
	const state = web.store.get();
	const {top, rows} = shownRows(state);
	const [newest] = rows;
	if (top === 0 && newest && newest.id !== openIn(state)?.messageId) {
		openMessage(web, newest, 'replace');
	}
}

function change({store}: Web, update: (list: MessageListState) => MessageListState): void {
	store.update(state => updatedList(state, update));
}
