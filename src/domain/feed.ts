import type {Inbox} from './mail/inbox.js';

/** Of an inbox as it was at the time of a change: what tells who could see it. */
export type InboxThen = Pick<Inbox, 'id' | 'ownerId' | 'teamId'>;

/** Something that changed. It says what to read again, and holds nothing of it: the store is the truth. */
export type FeedItem =
	| {readonly type: 'message.received'; readonly messageId: string; readonly inbox: InboxThen}
	| {
			readonly type: 'message.deleted';
			readonly messageId: string;
			readonly inbox: InboxThen;
			/** Nobody deleted it: the inbox keeps no more. */
			readonly isEvicted?: true;
	  }
	| {readonly type: 'messages.deleted'; readonly inbox: InboxThen; readonly isEvicted?: true}
	| {readonly type: 'inbox.created' | 'inbox.changed' | 'inbox.deleted'; readonly inbox: InboxThen}
	| {readonly type: 'delivery.changed'; readonly deliveryId: string; readonly endpointId: string}
	/** Of an inbox; null: of the daemon. */
	| {readonly type: 'faults.changed'; readonly inbox: InboxThen | null}
	| {
			readonly type: 'fault.hit';
			readonly hitId: string;
			readonly faultId: string | null;
			readonly inbox: InboxThen | null;
	  }
	/** What these users may see, as when one joins a team. */
	| {readonly type: 'scope'; readonly userIds: readonly string[]};

/** What can be waited for besides the id of an inbox (changes in it) and of a user (of what the user may see). */
export const topics = {everything: 'everything', deliveries: 'deliveries'} as const;

/** Hits of the faults of an inbox, or (null) of the daemon: there may be very many, and who waits for mail is not woken. */
export function hitTopic(inboxId: string | null): string {
	return `hits ${inboxId}`;
}

/** Whom the items concern: who waits for one of these topics has something to look at. Each is there once. */
export function topicsOf(items: readonly FeedItem[]): ReadonlySet<string> {
	return new Set(items.length === 0 ? [] : [topics.everything, ...items.flatMap(ownTopics)]);
}

function ownTopics(item: FeedItem): readonly string[] {
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
