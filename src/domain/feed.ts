import type {Inbox} from './mail/inbox.js';

/** Inbox at the time of a change, as far as needed to decide who could see it. */
export type InboxSnapshot = Pick<Inbox, 'id' | 'ownerId' | 'teamId'>;

/** Change in the store. It only says what to read again: the store is the source of truth. */
export type FeedItem =
	| {readonly type: 'message.received'; readonly messageId: string; readonly inbox: InboxSnapshot}
	| {
			readonly type: 'message.deleted';
			readonly messageId: string;
			readonly inbox: InboxSnapshot;
			/** True if the retention of the inbox removed it. */
			readonly isEvicted?: true;
	  }
	| {readonly type: 'messages.deleted'; readonly inbox: InboxSnapshot; readonly isEvicted?: true}
	| {readonly type: 'inbox.created' | 'inbox.changed' | 'inbox.deleted'; readonly inbox: InboxSnapshot}
	| {readonly type: 'delivery.changed'; readonly deliveryId: string; readonly endpointId: string}
	/** Faults of an inbox, or of the daemon (null). */
	| {readonly type: 'faults.changed'; readonly inbox: InboxSnapshot | null}
	| {
			readonly type: 'fault.hit';
			readonly hitId: string;
			readonly faultId: string | null;
			readonly inbox: InboxSnapshot | null;
	  }
	/** The set of inboxes that these users see changed, for example because one joined a team. */
	| {readonly type: 'scope'; readonly userIds: readonly string[]};

/** Topics besides the id of an inbox (changes in it) and of a user (changes in what the user sees). */
export const topics = {everything: 'everything', deliveries: 'deliveries'} as const;

/** Topic of the hits of an inbox, or of the daemon (null). It is separate, because many hits must not wake waits for mail. */
export function hitTopic(inboxId: string | null): string {
	return `hits ${inboxId}`;
}

/** Returns the distinct topics whose waiters must read again. */
export function topicsOf(items: readonly FeedItem[]): ReadonlySet<string> {
	return new Set(items.length === 0 ? [] : [topics.everything, ...items.flatMap(topicsOfItem)]);
}

function topicsOfItem(item: FeedItem): readonly string[] {
	switch (item.type) {
		case 'delivery.changed':
			return [topics.deliveries];
		case 'scope':
			return item.userIds;
		case 'fault.hit':
		case 'faults.changed':
			return [hitTopic(item.inbox?.id ?? null)];
		default:
			return [item.inbox.id];
	}
}
