import type {InboxBody} from '../../src/contract/inboxes.js';
import type {FullMessageBody} from '../../src/contract/messages.js';

/** An inbox as the API shows it. */
export function inboxBody(fields: Partial<InboxBody> = {}): InboxBody {
	return {
		id: 'inbox-1',
		email_address: 'signup@tinbox.test',
		name: 'signup',
		message_count: 2,
		team_id: null,
		expires_at: null,
		created_at: '2026-01-01T11:55:00.000Z',
		...fields,
	};
}

/** A message as the API shows it. */
export function messageBody(fields: Partial<FullMessageBody> = {}): FullMessageBody {
	return {
		id: 'message-1',
		inbox_id: 'inbox-1',
		from: 'shop@example.com',
		to: 'signup@tinbox.test',
		cc: [],
		reply_to: [],
		subject: 'Welcome',
		text: 'Hello.\n',
		html: '<p>Hello.</p>',
		size: 512,
		attachments: [],
		message_id: 'abc@example.com',
		envelope: {from: 'shop@example.com', to: ['signup@tinbox.test']},
		warnings: [],
		received_at: '2026-01-01T11:59:56.000Z',
		headers: [],
		codes: [],
		links: [],
		...fields,
	};
}
