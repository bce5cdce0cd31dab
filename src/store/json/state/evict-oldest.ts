import type {Message} from '../../../domain/mail/message.js';
import type {StoredInbox} from '../../dump-store.js';
import type {Evict} from './change.js';
import type {Groups} from './indexes.js';
import type {Table} from './table.js';

type Mail = {
	readonly tables: {readonly inboxes: Table<StoredInbox>; readonly messages: Table<Message>};
	readonly messagesOfInbox: Groups<Message>;
};

/** Removes what the change says, and counts it; the ids of what was removed, the oldest first. */
export function evictOldest(
	{tables: {inboxes, messages}, messagesOfInbox}: Mail,
	[, , inboxId, bounds]: Evict,
): string[] {
	const inbox = inboxes.get(inboxId);
	if (inbox === undefined) {
		return [];
	}

	let last = Number.POSITIVE_INFINITY;
	let most = Number.POSITIVE_INFINITY;
	if ('upTo' in bounds) {
		last = messagesOfInbox.placeOf(inboxId, bounds.upTo);
	} else {
		// As the inbox says it by now: it may have been changed since the mail came in.
		const keep = (inbox.keep ?? bounds.keep) || Number.POSITIVE_INFINITY;
		most = Math.min(bounds.most, messagesOfInbox.sizeOf(inboxId) - keep);
	}

	const ids: string[] = [];
	for (const id of messagesOfInbox.oldestFirst(inboxId)) {
		if (ids.length >= most || messagesOfInbox.placeOf(inboxId, id) > last) {
			break;
		}

		ids.push(id);
	}

	for (const id of ids) {
		messages.delete(id);
	}

	if (ids.length > 0) {
		inboxes.put({...inbox, evicted: (inbox.evicted ?? 0) + ids.length});
	}

	return ids;
}
