import {z} from 'zod';
import type {DoneBody} from '../../../contract/common.js';
import type {DaemonBody, HealthBody, ReadyBody, TlsBody} from '../../../contract/daemon.js';
import {bodySchema} from '../body-schema.js';
import {hostPortField, portField} from './fields.js';

const versionText = 'Version of tinbox.';

export const healthSchema = bodySchema<HealthBody>()(
	'Health',
	z.object({
		status: z
			.enum(['ok', 'degraded'])
			.describe('`degraded` while the store is unavailable: the daemon runs, but reads and writes fail.'),
		version: z.string().describe(versionText),
		smtp: hostPortField
			.describe('Address of the SMTP listener; only if it accepts mail and the request has an API key or a token.')
			.optional(),
	}),
);

export const readySchema = bodySchema<ReadyBody>()(
	'Ready',
	z.object({
		status: z.literal('ready').describe('Always `ready`; otherwise the request fails with 503.'),
		version: z.string().describe(versionText),
	}),
);

const tlsSchema = bodySchema<TlsBody>()(
	'Tls',
	z.object({
		mode: z
			.enum(['off', 'offer', 'require'])
			.describe('STARTTLS on the SMTP port: not offered (`off`), offered (`offer`) or required (`require`).'),
		smtps: hostPortField.nullable().describe('Address of the SMTPS listener (implicit TLS); null if there is none.'),
		https_url: z
			.string()
			.nullable()
			.describe('Base address of the API over TLS, ending in `/v1`; null if there is none.'),
		ca: z
			.string()
			.nullable()
			.describe(
				'Certificate of the CA (certificate authority) that signs the certificates of the daemon, as PEM; null if there is none.',
			),
	}),
);

export const daemonSchema = bodySchema<DaemonBody>()(
	'Daemon',
	z.object({
		version: z.string().describe(versionText),
		domain: z.string().describe('Domain of generated inbox addresses.'),
		smtp: z
			.object({
				host: z.string(),
				port: portField,
				auth_mode: z
					.enum(['any', 'inbox', 'login'])
					.describe(
						'SMTP authentication: everybody can send (`any`), only logins of inboxes (`inbox`), or also one configured login (`login`). Logins of inboxes can always send.',
					),
				auth: z
					.object({user: z.string(), password: z.string()})
					.nullable()
					.describe('Configured login; null unless `auth_mode` is `login`.'),
				auth_needs_tls: z.boolean().describe('True if SMTP logins require TLS.'),
			})
			.describe('SMTP listener.'),
		tls: tlsSchema.describe('TLS settings.'),
	}),
);

/** Confirmation in a response that has no other content. */
export const doneSchema = bodySchema<DoneBody>()(
	'Done',
	z.object({message: z.string().describe('Confirmation for people.')}),
);
