import type {FaultHitBody} from './faults.js';
import type {InboxBody} from './inboxes.js';
import type {MessageSummaryBody} from './messages.js';
import type {DeliverySummaryBody} from './webhooks.js';

/**
 * Data of one event of `GET /v1/events` (`text/event-stream`); the event name is its `type`. The first event is `ready`.
 * `resumed` is true if nothing was missed since `Last-Event-ID`; otherwise read the lists again. Do the same after
 * `messages.deleted`, whose `message_count` counts the messages received since the deletion. In other events it is the number
 * of messages in the inbox. `reason` is set if the inbox evicted the messages because of `keep` or `keep_for`.
 */
export type EventBody =
	| {readonly type: 'ready'; readonly resumed: boolean}
	| {readonly type: 'message.received'; readonly message: MessageSummaryBody; readonly message_count: number}
	| {
			readonly type: 'message.deleted';
			readonly inbox_id: string;
			readonly message_id: string;
			readonly message_count: number;
			readonly reason?: 'evicted';
	  }
	| {
			readonly type: 'messages.deleted';
			readonly inbox_id: string;
			readonly message_count: number;
			readonly reason?: 'evicted';
	  }
	| {readonly type: 'inbox.created' | 'inbox.changed'; readonly inbox: InboxBody}
	| {readonly type: 'inbox.deleted'; readonly inbox_id: string}
	| {readonly type: 'delivery.changed'; readonly endpoint_id: string; readonly delivery: DeliverySummaryBody}
	| {readonly type: 'fault.hit'; readonly hit: FaultHitBody}
	/** Faults of an inbox, or of the daemon (null), were created or deleted. */
	| {readonly type: 'faults.changed'; readonly inbox_id: string | null};
