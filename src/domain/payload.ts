import {senderOf} from './filter.js';
import type {Message} from './message.js';
import type {Delivery} from './webhook.js';

/** The body that announces a message, once its header was read: spec.md, section 6. */
export function eventBody(message: Message): string {
	return JSON.stringify({
		event: 'message.received',
		inbox_id: message.inboxId,
		message: {
			id: message.id,
			from: senderOf(message),
			subject: message.summary?.subject ?? '',
			received_at: message.receivedAt,
		},
	});
}

/** The body of a test delivery. Its ids stand for nothing. */
export function testBody(at: Date): string {
	return JSON.stringify({
		test: true,
		inbox_id: 'test-inbox',
		message_id: 'test-message',
		from: 'sender@example.com',
		to: ['inbox@tinbox.test'],
		subject: 'A test delivery from tinbox',
		timestamp: at.toISOString(),
	});
}

/** How long the deliveries of a message wait for its header to be read, before they look themselves. */
export const headerWaitMs = 5000;

/**
 * The delivery as it can go on without a body: with one, if the header of its message was read by now; put off, if it
 * was not; dead, if the message was deleted in the meantime.
 */
export function withBody(delivery: Delivery, message: Message | undefined, now: Date): Delivery {
	if (message === undefined) {
		const responseBody = 'Not sent: the message was deleted before its header was read.';
		return {...delivery, status: 'dead', nextAttemptAt: null, responseBody};
	}

	return message.summary === null
		? {...delivery, nextAttemptAt: new Date(now.getTime() + headerWaitMs).toISOString()}
		: {...delivery, body: eventBody(message)};
}
