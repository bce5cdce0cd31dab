import type {FaultHit} from '../../domain/fault.js';
import {type Message, senderOf} from '../../domain/message.js';
import type {Delivery} from '../../domain/webhook.js';
import type {CountedInbox} from '../inboxes/inboxes.js';

/** What a follower is told. Counts are those of the inbox by now. */
export type LiveEvent =
	| {readonly type: 'ready'; readonly resumed: boolean}
	| {readonly type: 'message.received'; readonly message: Message; readonly messageCount: number}
	| {
			readonly type: 'message.deleted';
			readonly inboxId: string;
			readonly messageId: string;
			readonly messageCount: number;
			readonly isEvicted: boolean;
	  }
	| {
			readonly type: 'messages.deleted';
			readonly inboxId: string;
			readonly messageCount: number;
			readonly isEvicted: boolean;
	  }
	| ({readonly type: 'inbox.created' | 'inbox.changed'} & CountedInbox)
	| {readonly type: 'inbox.deleted'; readonly inboxId: string}
	| {readonly type: 'delivery.changed'; readonly delivery: Delivery}
	| {readonly type: 'fault.hit'; readonly hit: FaultHit}
	| {readonly type: 'faults.changed'; readonly inboxId: string | null};

/** An event, and the cursor behind it. */
export type NumberedEvent = {readonly id: string; readonly event: LiveEvent};

/** How long the texts of an event are as JSON, in which control characters take six times as much. */
export function lengthOf(event: LiveEvent): number {
	if (event.type === 'fault.hit') {
		return JSON.stringify(event.hit).length;
	}

	if (event.type !== 'message.received') {
		return 0;
	}

	const {to, summary} = event.message;
	return JSON.stringify([senderOf(event.message), summary.fromName, to, summary.subject]).length;
}
