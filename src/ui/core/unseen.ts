import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';

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
