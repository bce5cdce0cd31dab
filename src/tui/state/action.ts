import type {EventBody} from '../../contract/events.js';
import type {InboxBody} from '../../contract/inboxes.js';
import type {FullMessageBody, MessageSummaryBody} from '../../contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../contract/webhooks.js';
import type {About, Dialog, FeedStatus, Notice, Size, Tab} from './state.js';

/** Everything that changes the state: what the daemon told, and what a person did. */
export type Action =
	| {readonly type: 'resized'; readonly size: Size}
	| {readonly type: 'feed'; readonly feed: FeedStatus; readonly about?: About}
	| {readonly type: 'reload'}
	| {readonly type: 'events'; readonly events: readonly EventBody[]}
	| {readonly type: 'inboxes read'; readonly rows: readonly InboxBody[]}
	| MessagesRead
	| {readonly type: 'message read'; readonly message: FullMessageBody}
	| {readonly type: 'source read'; readonly messageId: string; readonly source: string}
	| {readonly type: 'endpoints stale'}
	| {readonly type: 'endpoints read'; readonly request: string; readonly rows: readonly EndpointBody[]}
	| {
			readonly type: 'deliveries read';
			readonly request: string;
			readonly rows: readonly DeliveryBody[];
			readonly total: number;
	  }
	| {readonly type: 'move'; readonly rows: number}
	| {readonly type: 'pane'; readonly by: 1 | -1}
	| {readonly type: 'tab'; readonly tab: Tab}
	| {readonly type: 'screen'}
	| {readonly type: 'follow'}
	| {readonly type: 'filter'; readonly filter: string}
	| {readonly type: 'select inbox'; readonly inboxId: string}
	| {readonly type: 'dialog'; readonly dialog: Dialog | undefined}
	| {readonly type: 'notice'; readonly notice: Notice | undefined};

/** One page of the messages of an inbox: the first one, or one that overlaps with what was read before. */
export type MessagesRead = {
	readonly type: 'messages read';
	readonly inboxId: string;
	readonly rows: readonly MessageSummaryBody[];
	/** Whether nothing was read before it. */
	readonly first: boolean;
	/** Whether the page reaches to the oldest message. */
	readonly complete: boolean;
};
