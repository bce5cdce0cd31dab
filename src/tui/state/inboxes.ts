import type {InboxBody} from '../../contract/inboxes.js';
import {filterPattern} from './filter.js';
import {selectedIndex, selectedRow, withRows} from './list.js';
import {allMail, type InboxesState, type InboxRow, type WatchState} from './state.js';
import {unseenIn} from './unseen.js';

/** Whether the row stands for one inbox, and not for all of them. */
export function isInbox(row: InboxRow): row is InboxBody {
	return row !== allMail;
}

/** The selected inbox; undefined on the row for all mail. */
export function selectedInbox({shown}: InboxesState): InboxBody | undefined {
	const row = selectedRow(shown);
	return row !== undefined && isInbox(row) ? row : undefined;
}

/** The inbox as it is now, on top when it is new. */
export function withInbox(all: readonly InboxBody[], inbox: InboxBody): readonly InboxBody[] {
	const isKnown = all.some(({id}) => id === inbox.id);
	return isKnown ? all.map(old => (old.id === inbox.id ? inbox : old)) : [inbox, ...all];
}

/** Other inboxes in the same list. The first one is selected to begin with. */
export function withInboxes(inboxes: InboxesState, all: readonly InboxBody[]): InboxesState {
	const {filter, shown} = inboxes;
	const pattern = filterPattern(filter);
	const matches = ({name, email_address: address}: InboxBody) =>
		[name ?? '', address].some(text => text.search(pattern) >= 0);
	const found = filter === '' ? all : all.filter(matches);
	const rows = filter === '' && all.length > 1 ? [allMail, ...found] : found;
	return {...inboxes, all, shown: withRows({...shown, selected: shown.selected ?? found[0]?.id}, rows)};
}

/** Shows those inboxes with the text in name or address; all when it is empty. `selected` stays so if it is among them. */
export function filterInboxes(
	{inboxes}: WatchState,
	filter: string,
	selected = inboxes.shown.selected,
): Partial<WatchState> {
	return {inboxes: withInboxes({...inboxes, filter, shown: {...inboxes.shown, selected}}, inboxes.all)};
}

/** Selects the next inbox down the list with messages that were not looked at; after the last comes the first. */
export function toUnseenInbox({inboxes, unseen, focus}: WatchState): Partial<WatchState> {
	const {shown} = inboxes;
	const start = selectedIndex(shown) + 1;
	const next = [...shown.rows.slice(start), ...shown.rows.slice(0, start)].find(
		row => isInbox(row) && unseenIn(unseen, row) > 0,
	);
	return next === undefined
		? {notice: {text: 'No inbox has mail that you have not looked at.', tone: 'info'}}
		: {
				inboxes: {...inboxes, shown: {...shown, selected: next.id}},
				focus: {...focus, mail: focus.mail === 'preview' ? 'messages' : focus.mail},
			};
}
