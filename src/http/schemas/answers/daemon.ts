import {z} from 'zod';
import type {DaemonBody, DoneBody, HealthBody, ReadyBody, TlsBody} from '../../../contract/answers.js';
import {bodySchema} from '../body-schema.js';
import {hostPortField, portField} from './fields.js';

export const healthSchema = bodySchema<HealthBody>()(
	'Health',
	z.object({
		status: z
			.enum(['ok', 'degraded'])
			.describe('`degraded` while what keeps the mail is away: the daemon lives, but reads and writes fail.'),
		version: z.string(),
		smtp: hostPortField
			.describe('Where mail is taken, while it is; only for a caller with an API key or a token.')
			.optional(),
	}),
);

export const readySchema = bodySchema<ReadyBody>()(
	'Ready',
	z.object({status: z.literal('ready'), version: z.string()}),
);

const tlsSchema = bodySchema<TlsBody>()(
	'Tls',
	z.object({
		mode: z
			.enum(['off', 'offer', 'require'])
			.describe('For mail on the port that begins in the clear: never, by STARTTLS, or not without it.'),
		smtps: hostPortField.nullable().describe('Where mail is taken that begins with TLS.'),
		https_url: z.string().nullable().describe('The base address of the API over TLS; ends in `/v1`.'),
		ca: z.string().nullable().describe('The certificate of the authority that vouches for the daemon, PEM.'),
	}),
);

export const daemonSchema = bodySchema<DaemonBody>()(
	'Daemon',
	z.object({
		version: z.string(),
		domain: z.string().describe('Of the addresses that new inboxes get.'),
		smtp: z.object({
			host: z.string(),
			port: portField,
			auth_mode: z
				.enum(['any', 'inbox', 'login'])
				.describe('Who may send besides who logs in as an inbox: everybody, nobody, or who has this login.'),
			auth: z.object({user: z.string(), password: z.string()}).nullable(),
			auth_needs_tls: z.boolean().describe('Logins are taken under TLS only.'),
		}),
		tls: tlsSchema,
	}),
);

/** What a delete answers where it has a body. */
export const doneSchema = bodySchema<DoneBody>()('Done', z.object({message: z.string().describe('For people.')}));
