import {z} from 'zod';
import type {SendMailBody} from '../../../contract/send.js';
import {bodySchema} from '../body-schema.js';

export const sendMailAnswer = bodySchema<SendMailBody>()(
	'SentMail',
	z.object({
		id: z.string(),
		message_ids: z
			.array(z.string())
			.describe('The messages that the mail is kept as; none where no recipient is anybody’s.'),
	}),
);
