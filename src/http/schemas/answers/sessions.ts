import {z} from 'zod';
import {sendProviders} from '../../../contract/send.js';
import type {SendRequestBody, SessionBody} from '../../../contract/session.js';
import {bodySchema} from '../body-schema.js';

const sendRequestSchema = bodySchema<SendRequestBody>()(
	'SendRequest',
	z.object({
		provider: z.enum(sendProviders),
		path: z.string().describe('Of the request, below that of the provider.'),
		id: z.string().describe('What the answer called the mail.'),
		tags: z.array(z.object({name: z.string().nullable(), value: z.string()}).meta({id: 'Tag'})),
		metadata: z.record(z.string(), z.string()),
		template: z.object({id: z.string(), registered: z.boolean()}).nullable(),
		warnings: z.array(z.string()).describe('What was not understood, or is not done here, in sentences.'),
	}),
);

/** How a mail came. */
export const sessionSchema = bodySchema<SessionBody>()(
	'Session',
	z.object({
		tls: z
			.object({
				version: z.string().describe('Such as `TLSv1.3`.'),
				cipher: z.string().describe('Its standard name, such as `TLS_AES_256_GCM_SHA384`.'),
				servername: z.string().nullable().describe('What the client asked for by SNI.'),
				client: z.string().describe('The subject of the certificate that the client showed.').optional(),
			})
			.nullable()
			.describe('Null when it came in the clear.'),
		auth: z.object({mechanism: z.string(), user: z.string()}).nullable().describe('Null when nobody logged in.'),
		client: z.object({
			host: z.string(),
			helo: z.string().nullable().describe('What the client calls itself; for a sending API its `User-Agent`.'),
		}),
		request: sendRequestSchema.describe('Absent for mail that came by SMTP.').optional(),
	}),
);
