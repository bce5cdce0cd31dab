import {z} from 'zod';
import {sendProviders} from '../../../contract/constants.js';
import type {SendRequestBody, SessionBody} from '../../../contract/messages.js';
import {bodySchema} from '../body-schema.js';

const sendRequestSchema = bodySchema<SendRequestBody>()(
	'SendRequest',
	z.object({
		provider: z.enum(sendProviders).describe('Provider whose API was used.'),
		path: z.string().describe('Path of the request, relative to the base path of the provider.'),
		id: z.string().describe('Id of the mail in the response of the sending API.'),
		tags: z
			.array(
				z
					.object({
						name: z.string().nullable().describe('Name of the tag; null if the provider has none.'),
						value: z.string().describe('Value of the tag.'),
					})
					.meta({id: 'Tag'}),
			)
			.describe('Tags of the mail.'),
		metadata: z.record(z.string(), z.string()).describe('Custom values of the mail, by name.'),
		template: z
			.object({
				id: z.string().describe('Id of the template.'),
				registered: z.boolean().describe('True if the template was registered with tinbox.'),
			})
			.nullable()
			.describe('Template of the mail; null for none.'),
		warnings: z
			.array(z.string())
			.describe('Sentences about parts of the request that were not understood or have no effect here.'),
	}),
);

/** SMTP session or sending API request of a mail. */
export const sessionSchema = bodySchema<SessionBody>()(
	'Session',
	z.object({
		tls: z
			.object({
				version: z.string().describe('TLS version, such as `TLSv1.3`.'),
				cipher: z.string().describe('Standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`.'),
				servername: z.string().nullable().describe('Server name (SNI) that the client requested; null for none.'),
				client: z.string().describe('Subject of the verified client certificate; absent for none.').optional(),
			})
			.nullable()
			.describe('TLS parameters; null for an unencrypted connection.'),
		auth: z
			.object({
				mechanism: z.string().describe('Authentication mechanism, such as `PLAIN`.'),
				user: z.string().describe('User name of the login.'),
			})
			.nullable()
			.describe('SMTP login; null if the client did not log in. Passwords are not stored.'),
		client: z
			.object({
				host: z.string().describe('Address of the client.'),
				helo: z
					.string()
					.nullable()
					.describe('Name that the client gave in HELO or EHLO; for a sending API, its `User-Agent`. Null for none.'),
			})
			.describe('Client of the connection.'),
		request: sendRequestSchema.describe('Request of the sending API; absent for mail received over SMTP.').optional(),
	}),
);
