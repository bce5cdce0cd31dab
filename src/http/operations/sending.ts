import {sendMailSchema} from '../../send/tinbox/schema.js';
import type {Operation} from '../operation.js';
import {sendMailAnswer} from '../schemas/answers/sending.js';

/** Answered where all sending APIs are (`send/mount.ts`). */
export const sendingOperations = {
	send: {
		at: 'POST /send',
		id: 'sendMail',
		summary: 'Send a mail',
		description:
			'Its recipients get it as if it had come by SMTP. With an `Idempotency-Key` the same request has the same answer, and sends once.',
		caller: 'sender',
		headers: {'Idempotency-Key': 'The same for each try of one mail; good for a day.'},
		body: sendMailSchema,
		example: {from: 'app@example.com', to: 'ann@example.com', subject: 'Hello', text: 'Hi Ann'},
		status: 201,
		answer: sendMailAnswer,
		errors: ['forbidden', 'key_reused', 'in_progress', 'rate_limited'],
		ids: {messageId: 'message_ids/0'},
	},
} as const satisfies Readonly<Record<string, Operation>>;
