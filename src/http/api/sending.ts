import {sentMailSchema} from '../../contract/send.js';
import {sendMailSchema} from '../../send/tinbox.js';
import type {Operation} from './operation.js';

/** Operation of the sending API of tinbox, which `send/mount.ts` serves. */
export const sendingOperations = {
	send: {
		at: 'POST /send',
		id: 'sendMail',
		summary: 'Send a mail',
		description:
			'The mail is delivered to the inboxes of its recipients, as over SMTP. With the `send_key` of an inbox it is delivered to that inbox. A repeated request with the same `Idempotency-Key` gets the same response and sends nothing.',
		caller: 'sender',
		headers: {'Idempotency-Key': 'Unique value that identifies the mail across retries; valid for 24 hours.'},
		body: sendMailSchema,
		example: {from: 'app@example.com', to: 'ann@example.com', subject: 'Hello', text: 'Hi Ann'},
		status: 201,
		answer: sentMailSchema,
		errors: ['forbidden', 'key_reused', 'in_progress', 'rate_limited'],
		ids: {messageId: 'message_ids/0'},
	},
} as const satisfies Readonly<Record<string, Operation>>;
