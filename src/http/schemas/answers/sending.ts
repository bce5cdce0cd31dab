import {z} from 'zod';
import type {SendMailBody} from '../../../contract/send.js';
import {bodySchema} from '../body-schema.js';

export const sendMailAnswer = bodySchema<SendMailBody>()(
	'SentMail',
	z.object({
		id: z.string().describe('Id of the sent mail.'),
		message_ids: z.array(z.string()).describe('Ids of the stored messages; empty if no recipient has an inbox.'),
	}),
);
