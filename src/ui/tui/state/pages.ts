import type {InboxBody} from '../../../contract/inboxes.js';
import {allMail} from '../../core/inboxes.js';
import {selectedIndex} from '../../core/list.js';
import {listHeight} from './layout.js';
import type {MessagesState, WatchState} from './state.js';

/** One page of the messages of an inbox that is to be read. */
export type PageRequest = {
	readonly inboxId: string;
	readonly page: number;
	readonly limit: number;
	/** Whether nothing was read before it. */
	readonly first: boolean;
};

/** Inboxes that are read at once, and how much of each, to show the mail of all of them. */
const atOnce = 20;
const firstRows = 20;

/** Whether the messages of an inbox are among those that are shown. */
export function isShown({inboxId}: MessagesState, id: string): boolean {
	return inboxId === allMail.id || inboxId === id;
}

/** The messages of what is selected, newest first: of several inboxes as far back as each of them was read. */
export function readMessages(state: WatchState): Pick<MessagesState, 'all' | 'complete'> {
	const {read} = state.messages;
	const inboxes = shownInboxes(state);
	const parts = inboxes.map(({id}) => read.get(id)?.rows ?? []);
	const open = inboxes.filter(inbox => !isComplete(inbox, state));
	const complete = inboxes.length > 0 && open.length === 0;
	if (state.messages.inboxId !== allMail.id) {
		return {all: parts[0] ?? [], complete};
	}

	const from =
		open
			.map(({id}) => oldestRead(id, state))
			.sort()
			.at(-1) ?? '';
	const all = parts.flat().filter(({received_at: at}) => at >= from);
	return {
		all: all.sort((a, b) => (a.received_at < b.received_at ? 1 : a.received_at > b.received_at ? -1 : 0)),
		complete,
	};
}

/** The pages to read next: what is in view, some more, and what the filter has to look at. */
export function pagesWanted(state: WatchState): readonly PageRequest[] {
	const {read, filter, toOldest, shown} = state.messages;
	const inboxes = shownInboxes(state);
	const open = inboxes.filter(inbox => !isComplete(inbox, state));
	const unread = open.filter(({id}) => !read.has(id));
	if (unread.length > 0) {
		const limit = inboxes.length > 1 ? firstRows : undefined;
		return unread.slice(0, atOnce).map(({id}) => ({inboxId: id, ...pageAfter(0, limit)}));
	}

	const isNearEnd = selectedIndex(shown) >= shown.rows.length - 2 * listHeight(state);
	if (open.length > 0 && (toOldest || filter !== '' || isNearEnd)) {
		const {id} = open.reduce((a, b) => (oldestRead(a.id, state) >= oldestRead(b.id, state) ? a : b));
		return [{inboxId: id, ...pageAfter(read.get(id)?.rows.length ?? 0)}];
	}

	return filter === '' ? [] : inboxes.flatMap(({id}) => partlyKnown(id, state)).slice(0, 1);
}

/** The next page when `known` rows were read. It starts with a known one, to show that none is missing in between. */
export function pageAfter(known: number, maxLimit = 100): Omit<PageRequest, 'inboxId'> {
	let limit = maxLimit;
	while (known > 0 && known % limit === 0) {
		limit--;
	}

	return {page: Math.floor(known / limit) + 1, limit, first: known === 0};
}

/** The page that tells the codes of a message that so far only an event announced. */
function partlyKnown(inboxId: string, {messages}: WatchState): readonly PageRequest[] {
	const index = messages.read.get(inboxId)?.rows.findIndex(({also}) => also === undefined) ?? -1;
	return index < 0 ? [] : [{inboxId, page: Math.floor(index / 100) + 1, limit: 100, first: false}];
}

function shownInboxes({inboxes, messages}: WatchState): readonly InboxBody[] {
	return inboxes.all.filter(({id}) => isShown(messages, id));
}

function isComplete({id, message_count: count}: InboxBody, {messages}: WatchState): boolean {
	return messages.read.get(id)?.complete ?? count === 0;
}

/** When the oldest message that was read came; later than all when none was read. */
function oldestRead(inboxId: string, {messages}: WatchState): string {
	return messages.read.get(inboxId)?.rows.at(-1)?.received_at ?? '\uffff';
}
