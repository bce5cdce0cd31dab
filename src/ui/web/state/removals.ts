import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import type {Removal} from './state.js';

/** True if there is a pending delete of exactly this message or inbox. */
export function isRemoved(removals: readonly Removal[], id: string): boolean {
	return removals.some(removal => removal.id === id && removal.kind !== 'mail');
}

/** True if a pending delete includes the message. Arrivals after "delete all messages" are not included. */
export function isHidden(removals: readonly Removal[], row: Pick<MessageSummaryBody, 'id' | 'inbox_id'>): boolean {
	return removals.some(({id, kind, inboxId, upTo = ''}) =>
		kind === 'message' ? id === row.id : inboxId === row.inbox_id && (kind === 'inbox' || row.id <= upTo),
	);
}

/** The inbox without the messages of pending deletes in its count. */
export function withoutPendingDeletes(removals: readonly Removal[], inbox: InboxBody): InboxBody {
	const own = removals.filter(({inboxId}) => inboxId === inbox.id);
	const {upTo = '', count = 0} = own.find(({kind}) => kind === 'mail') ?? {};
	const messages = own.filter(({kind, id}) => kind === 'message' && id > upTo);
	const pending = count + messages.length;
	return pending === 0 ? inbox : {...inbox, message_count: Math.max(0, inbox.message_count - pending)};
}

/** Drops pending deletes of messages and inboxes that were deleted by now, by anybody. */
export function withoutDeleted(removals: readonly Removal[], events: readonly EventBody[]): readonly Removal[] {
	const isDeleted = ({id, inboxId}: Removal) =>
		events.some(
			event =>
				(event.type === 'message.deleted' && event.message_id === id) ||
				(event.type === 'inbox.deleted' && event.inbox_id === inboxId),
		);
	return removals.some(isDeleted) ? removals.filter(removal => !isDeleted(removal)) : removals;
}
