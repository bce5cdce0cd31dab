import {randomUUID} from 'node:crypto';
import type {MailFormat} from '../../contract/constants.js';
import {mailEventBodies} from './bodies.js';

/** The body of a test delivery in the format of a sending API. Its ids stand for nothing. */
export function sampleEventBody(format: MailFormat, secret: string, at: Date): string {
	const [from, to] = ['sender@example.com', 'inbox@tinbox.test'];
	const request = {
		provider: format,
		path: '',
		id: 'test-message',
		tags: [],
		metadata: {},
		template: null,
		warnings: [],
	};
	const message = {
		id: 'test-message',
		inboxId: 'test-inbox',
		sourceId: '',
		size: 0,
		envelope: {from, to: [to]},
		session: null,
		to,
		receivedAt: at.toISOString(),
		summary: {
			from,
			to: [to],
			cc: [],
			replyTo: [],
			subject: 'A test delivery from tinbox',
			messageId: 'test-message@tinbox.test',
		},
	};
	const what = {kind: 'delivered', recipients: [to], status: '2.0.0', reply: '250 OK'} as const;
	const [body = ''] = mailEventBodies(format, {...what, message, request, id: randomUUID(), at}, secret);
	return body;
}
