import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';

/** What is deleted in a moment, unless that is undone: a message, an inbox, or all messages of an inbox. */
export type Removal = {
	/** Of the message, or of the inbox. */
	readonly id: string;
	readonly kind: 'message' | 'inbox' | 'mail';
	readonly inboxId: string;
	/** What was deleted, for people. */
	readonly what: string;
	/** Of all messages of an inbox: the newest of them, beyond which nobody saw any, and how many they are. */
	readonly upTo?: string | undefined;
	readonly count?: number | undefined;
};

/** Whether a message or an inbox is on its way out. */
export function isRemoved(removals: readonly Removal[], id: string): boolean {
	return removals.some(removal => removal.id === id && removal.kind !== 'mail');
}

/** Whether a row of a list is on its way out; what came after all messages of its inbox were deleted is not. */
export function isHidden(removals: readonly Removal[], row: Pick<MessageSummaryBody, 'id' | 'inbox_id'>): boolean {
	return removals.some(({id, kind, inboxId, upTo = ''}) =>
		kind === 'message' ? id === row.id : inboxId === row.inbox_id && (kind === 'inbox' || row.id <= upTo),
	);
}

/** The inbox with as many messages as it has without those that are on their way out. */
export function withCountLeft(removals: readonly Removal[], inbox: InboxBody): InboxBody {
	const own = removals.filter(({inboxId}) => inboxId === inbox.id);
	const {upTo = '', count = 0} = own.find(({kind}) => kind === 'mail') ?? {};
	const others = own.filter(({kind, id}) => kind === 'message' && id > upTo);
	const gone = count + others.length;
	return gone === 0 ? inbox : {...inbox, message_count: Math.max(0, inbox.message_count - gone)};
}

/** Without those that are done, by whomever. */
export function withoutDone(removals: readonly Removal[], events: readonly EventBody[]): readonly Removal[] {
	const isDone = ({id, inboxId}: Removal) =>
		events.some(
			event =>
				(event.type === 'message.deleted' && event.message_id === id) ||
				(event.type === 'inbox.deleted' && event.inbox_id === inboxId),
		);
	return removals.some(isDone) ? removals.filter(removal => !isDone(removal)) : removals;
}
