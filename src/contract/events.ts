import type {FaultHitBody} from './faults.js';
import type {InboxBody} from './inboxes.js';
import type {MessageSummaryBody} from './messages.js';
import type {DeliverySummaryBody} from './webhooks.js';

/**
 * The data of one event of `GET /v1/events` (`text/event-stream`), whose event name is its `type`. `ready` comes first
 * and after it all that changes; when the stream takes up after `Last-Event-ID`, `resumed` says whether nothing was
 * missed in between. If something was, read again what you show; so, too, when all messages of an inbox were deleted at
 * once (`messages.deleted`: `message_count` is of what came meanwhile), or very many evicted. Elsewhere `message_count` is the
 * inbox's, as it is by then. `reason` is there when nobody deleted them: the inbox keeps them no longer.
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
	/** Some were made, or went: of an inbox, or (null) the daemon's. */
	| {readonly type: 'faults.changed'; readonly inbox_id: string | null};
