import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';
import {filterPattern} from './filter.js';
import {emptyList, type RowList, selectedIndex, selectedRow, withRows} from './list.js';

/** The row that stands for the mail of all inboxes; no inbox has such an id. */
export const allMail = {id: 'all mail'} as const;

export type InboxRow = InboxBody | typeof allMail;

export type InboxesState = {
	/** All inboxes, newest first. */
	readonly all: readonly InboxBody[];
	/** Those that match the filter; without one, the row for all mail and all of them. */
	readonly shown: RowList<InboxRow>;
	readonly filter: string;
};

export const noInboxes: InboxesState = {all: [], shown: emptyList, filter: ''};

/** Whether the row stands for one inbox, and not for all of them. */
export function isInbox(row: InboxRow): row is InboxBody {
	return row !== allMail;
}

/** The selected inbox; undefined on the row for all mail. */
export function selectedInbox({shown}: InboxesState): InboxBody | undefined {
	const row = selectedRow(shown);
	return row !== undefined && isInbox(row) ? row : undefined;
}

/** The inbox with this address, in capitals or not; else those with this name. */
export function inboxesNamed(all: readonly InboxBody[], text: string): readonly InboxBody[] {
	const wanted = text.toLowerCase();
	const addressed = all.filter(({email_address: address}) => address.toLowerCase() === wanted);
	return addressed.length > 0 ? addressed : all.filter(({name}) => name === text);
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
export function withInboxFilter(
	inboxes: InboxesState,
	filter: string,
	selected = inboxes.shown.selected,
): InboxesState {
	return withInboxes({...inboxes, filter, shown: {...inboxes.shown, selected}}, inboxes.all);
}

/** The next inbox down the list with messages that were not looked at; after the last comes the first. */
export function nextUnseen({shown}: InboxesState, unseen: UnseenByInbox): InboxBody | undefined {
	const start = selectedIndex(shown) + 1;
	return [...shown.rows.slice(start), ...shown.rows.slice(0, start)]
		.filter(isInbox)
		.find(row => unseenIn(unseen, row) > 0);
}

/** Takes in what the live feed told of the inboxes, in order. */
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

/** The messages of an inbox that arrived while somebody watches and were not looked at. */
export type Unseen = {
	/** The newest of them. */
	readonly ids: ReadonlySet<string>;
	/** How many there are in all. */
	readonly count: number;
};

/** By the id of the inbox. */
export type UnseenByInbox = ReadonlyMap<string, Unseen>;

/** The most ids that are kept of one inbox, however long a mail storm lasts. */
const maxIds = 1000;

/** With the messages that arrived, and without those that were deleted. */
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

/** Without a message that was looked at. */
export function withSeen(unseen: UnseenByInbox, inboxId: string, messageId: string): UnseenByInbox {
	const known = unseen.get(inboxId);
	if (!known?.ids.has(messageId)) {
		return unseen;
	}

	const ids = new Set(known.ids);
	ids.delete(messageId);
	return new Map(unseen).set(inboxId, {ids, count: known.count - 1});
}

/** The unseen messages of an inbox: never more than it has messages. */
export function unseenIn(unseen: UnseenByInbox, inbox: InboxBody): number {
	return Math.min(unseen.get(inbox.id)?.count ?? 0, inbox.message_count);
}

function inboxOf(event: EventBody): string | undefined {
	if (event.type === 'faults.changed') {
		return undefined;
	}

	return 'message' in event ? event.message.inbox_id : 'inbox_id' in event ? event.inbox_id : undefined;
}

/** A deleted message whose id is no longer kept goes on counting. */
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
