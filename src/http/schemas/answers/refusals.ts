import {z} from 'zod';
import type {RefusalBody, RefusalListBody} from '../../../contract/refusals.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const refusalSchema = bodySchema<RefusalBody>()(
	'Refusal',
	z.object({
		time: timeField,
		client: z.object({host: z.string(), helo: z.string().nullable()}),
		stage: z
			.enum(['connect', 'tls', 'auth', 'mail', 'rcpt', 'data'])
			.describe('What the client was at; `connect` is whatever is not about a mail.'),
		address: z
			.string()
			.nullable()
			.describe('The recipient; at `mail` the sender; at `auth` the inbox as which somebody tried to log in.'),
		reply: z.string().nullable().describe('What the client was told; null when it left before.'),
		reason: z.string().describe('The same in words.'),
	}),
);

export const refusalListSchema = bodySchema<RefusalListBody>()(
	'RefusalList',
	z.object({refusals: z.array(refusalSchema).describe('The newest first.')}),
);
