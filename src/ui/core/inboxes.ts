import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';
import {filterPattern} from './filter.js';
import {emptyList, type RowList, selectedIndex, selectedRow, withRows} from './list.js';

/** Row for the mail of all inboxes. No inbox has this id. */
export const allMail = {id: 'all mail'} as const;

export type InboxRow = InboxBody | typeof allMail;

export type InboxesState = {
	/** All inboxes, newest first. */
	readonly all: readonly InboxBody[];
	/** Inboxes that match the filter; without a filter, the row for all mail and all inboxes. */
	readonly shown: RowList<InboxRow>;
	readonly filter: string;
};

export const noInboxes: InboxesState = {all: [], shown: emptyList, filter: ''};

/** True for the row of an inbox, false for the row of all mail. */
export function isInbox(row: InboxRow): row is InboxBody {
	return row !== allMail;
}

/** Selected inbox; undefined for the row of all mail. */
export function selectedInbox({shown}: InboxesState): InboxBody | undefined {
	const row = selectedRow(shown);
	return row !== undefined && isInbox(row) ? row : undefined;
}

/** Inbox with this address (case-insensitive); otherwise all inboxes with this name. */
export function inboxesNamed(all: readonly InboxBody[], text: string): readonly InboxBody[] {
	const wanted = text.toLowerCase();
	const addressed = all.filter(({email_address: address}) => address.toLowerCase() === wanted);
	return addressed.length > 0 ? addressed : all.filter(({name}) => name === text);
}

/** Replaces an inbox, or adds a new one on top. */
export function withInbox(all: readonly InboxBody[], inbox: InboxBody): readonly InboxBody[] {
	const isKnown = all.some(({id}) => id === inbox.id);
	return isKnown ? all.map(old => (old.id === inbox.id ? inbox : old)) : [inbox, ...all];
}

/** Replaces all inboxes. Without a selection, selects the first one. */
export function withInboxes(inboxes: InboxesState, all: readonly InboxBody[]): InboxesState {
	const {filter, shown} = inboxes;
	const pattern = filterPattern(filter);
	const matches = ({name, email_address: address}: InboxBody) =>
		[name ?? '', address].some(text => text.search(pattern) >= 0);
	const found = filter === '' ? all : all.filter(matches);
	const rows = filter === '' && all.length > 1 ? [allMail, ...found] : found;
	return {...inboxes, all, shown: withRows({...shown, selected: shown.selected ?? found[0]?.id}, rows)};
}

/** Filters the inboxes by name and address. The row `selected` is selected if it matches. */
export function withInboxFilter(
	inboxes: InboxesState,
	filter: string,
	selected = inboxes.shown.selected,
): InboxesState {
	return withInboxes({...inboxes, filter, shown: {...inboxes.shown, selected}}, inboxes.all);
}

/** Next inbox in the list with unseen messages, cyclically. */
export function nextUnseen({shown}: InboxesState, unseen: UnseenByInbox): InboxBody | undefined {
	const start = selectedIndex(shown) + 1;
	return [...shown.rows.slice(start), ...shown.rows.slice(0, start)]
		.filter(isInbox)
		.find(row => unseenIn(unseen, row) > 0);
}

/** Applies events of the live feed, in order. */
export function withInboxEvents(inboxes: InboxesState, events: readonly EventBody[]): InboxesState {
	const all = events.reduce(withInboxEvent, inboxes.all);
	return all === inboxes.all ? inboxes : withInboxes(inboxes, all);
}

function withInboxEvent(all: readonly InboxBody[], event: EventBody): readonly InboxBody[] {
	switch (event.type) {
		case 'inbox.created':
		case 'inbox.changed':
			return withInbox(all, event.inbox);
		case 'inbox.deleted':
			return all.filter(({id}) => id !== event.inbox_id);
		case 'message.received':
		case 'message.deleted':
		case 'messages.deleted': {
			const inboxId = event.type === 'message.received' ? event.message.inbox_id : event.inbox_id;
			return all.map(inbox => (inbox.id === inboxId ? {...inbox, message_count: event.message_count} : inbox));
		}
		default:
			return all;
	}
}

/** Messages of an inbox that arrived since the user interface was opened and were not shown. */
export type Unseen = {
	/** Ids of the newest ones. */
	readonly ids: ReadonlySet<string>;
	/** Number of all of them. */
	readonly count: number;
};

/** Unseen messages by the id of the inbox. */
export type UnseenByInbox = ReadonlyMap<string, Unseen>;

/** Maximum number of ids per inbox. */
const maxIds = 1000;

/** Adds arrivals and removes deleted messages. */
export function withUnseen(unseen: UnseenByInbox, events: readonly EventBody[]): UnseenByInbox {
	const inboxIds = new Set(events.map(inboxOf).filter(id => id !== undefined));
	if (inboxIds.size === 0) {
		return unseen;
	}

	const changed = new Map(unseen);
	for (const inboxId of inboxIds) {
		const own = events.filter(event => inboxOf(event) === inboxId);
		if (own.some(({type}) => type === 'inbox.deleted')) {
			changed.delete(inboxId);
		} else {
			changed.set(inboxId, afterEvents(own, unseen.get(inboxId)));
		}
	}

	return changed;
}

/** Removes a message that was shown. */
export function withSeen(unseen: UnseenByInbox, inboxId: string, messageId: string): UnseenByInbox {
	const before = unseen.get(inboxId);
	if (!before?.ids.has(messageId)) {
		return unseen;
	}

	const ids = new Set(before.ids);
	ids.delete(messageId);
	return new Map(unseen).set(inboxId, {ids, count: before.count - 1});
}

/** Number of unseen messages of an inbox, at most the number of its messages. */
export function unseenIn(unseen: UnseenByInbox, inbox: InboxBody): number {
	return Math.min(unseen.get(inbox.id)?.count ?? 0, inbox.message_count);
}

/** Inbox that an event is about; undefined for faults, deliveries and changes of an inbox itself. */
export function inboxOf(event: EventBody): string | undefined {
	if (event.type === 'faults.changed') {
		return undefined;
	}

	return 'message' in event ? event.message.inbox_id : 'inbox_id' in event ? event.inbox_id : undefined;
}

/** A deleted message still counts if its id is not kept. */
function afterEvents(events: readonly EventBody[], before?: Unseen): Unseen {
	const ids = new Set(before?.ids);
	let count = before?.count ?? 0;
	for (const event of events) {
		if (event.type === 'message.received' && !ids.has(event.message.id)) {
			ids.add(event.message.id);
			count++;
		} else if (event.type === 'message.deleted' && ids.delete(event.message_id)) {
			count--;
		} else if (event.type === 'messages.deleted') {
			count = Math.min(count, event.message_count);
		}
	}

	return {ids: new Set([...ids].slice(-maxIds)), count};
}
