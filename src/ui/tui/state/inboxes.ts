import {nextUnseen, withInboxFilter} from '../../core/inboxes.js';
import type {WatchState} from './state.js';

/** Shows those inboxes with the text in name or address; all when it is empty. `selected` stays so if it is among them. */
export function filterInboxes({inboxes}: WatchState, filter: string, selected?: string): Partial<WatchState> {
	return {inboxes: withInboxFilter(inboxes, filter, selected)};
}

/** Selects the next inbox down the list with messages that were not looked at; after the last comes the first. */
export function toUnseenInbox({inboxes, unseen, focus}: WatchState): Partial<WatchState> {
	const next = nextUnseen(inboxes, unseen);
	return next === undefined
		? {notice: {text: 'No inbox has new mail.', tone: 'info'}}
		: {
				inboxes: {...inboxes, shown: {...inboxes.shown, selected: next.id}},
				focus: {...focus, mail: focus.mail === 'preview' ? 'messages' : focus.mail},
			};
}
