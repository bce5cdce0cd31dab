import {z} from 'zod';
import type {RefusalBody, RefusalListBody} from '../../../contract/daemon.js';
import {bodySchema} from '../body-schema.js';
import {clientSchema, timeField} from './fields.js';

export const refusalSchema = bodySchema<RefusalBody>()(
	'Refusal',
	z.object({
		time: timeField.describe('Time of the rejection.'),
		client: clientSchema,
		stage: z
			.enum(['connect', 'tls', 'auth', 'mail', 'rcpt', 'data'])
			.describe('Stage of the session; `connect` covers everything that is not about a mail.'),
		address: z
			.string()
			.nullable()
			.describe('Recipient; at `mail` the sender, at `auth` the inbox of the attempted login. Null if none is known.'),
		reply: z.string().nullable().describe('SMTP reply sent; null if the client disconnected first.'),
		reason: z.string().describe('Reason of the rejection in words.'),
	}),
);

export const refusalListSchema = bodySchema<RefusalListBody>()(
	'RefusalList',
	z.object({refusals: z.array(refusalSchema).describe('Rejected mail, the newest first.')}),
);
