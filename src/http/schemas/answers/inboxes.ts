import {z} from 'zod';
import {routings} from '../../../contract/constants.js';
import type {
	CreatedInboxBody,
	CredentialsBody,
	InboxBody,
	InboxBounce,
	InboxListBody,
} from '../../../contract/inboxes.js';
import {bodySchema} from '../body-schema.js';
import {bounceTexts, inboxTexts} from '../inboxes.js';
import {amountField, pageAnswer, portField, timeField, totalField} from './fields.js';

const inboxBounceSchema = bodySchema<InboxBounce>()(
	'InboxBounce',
	z.object({
		status: z.string().describe(bounceTexts.status),
		delay_ms: amountField.describe(bounceTexts.delay_ms),
	}),
);

export const inboxSchema = bodySchema<InboxBody>()(
	'Inbox',
	z.object({
		id: z.string().describe('Id of the inbox.'),
		email_address: z
			.string()
			.describe(
				'Address of the inbox: an exact address, `*@domain` for a whole domain, or `*` for all mail that no other inbox receives.',
			),
		name: z.string().nullable().describe('Label of the inbox; null for none.'),
		message_count: amountField.describe('Number of messages in the inbox.'),
		team_id: z.string().nullable().describe('Id of the team that shares the inbox; null for none.'),
		routing: z.enum(routings).describe(inboxTexts.routing),
		bounce: inboxBounceSchema.nullable().describe(inboxTexts.bounce),
		simulator: z.boolean().describe(inboxTexts.simulator),
		keep: amountField.nullable().describe(inboxTexts.keep),
		keep_for: amountField.nullable().describe(inboxTexts.keep_for),
		evicted: amountField.describe('Number of messages evicted so far because of `keep` or `keep_for`.'),
		expires_at: timeField.nullable().describe('Time when the inbox and its mail are deleted; null for never.'),
		created_at: timeField.describe('Time when the inbox was created.'),
	}),
);

export const credentialsSchema = bodySchema<CredentialsBody>()(
	'Credentials',
	z.object({
		host: z.string().describe('Host of the SMTP listener.'),
		port: portField.describe('Port of the SMTP listener.'),
		tls_port: portField.nullable().describe('Port of the SMTPS listener (implicit TLS); null if there is none.'),
		username: z.string().describe('User name of the SMTP login.'),
		password: z.string().describe('Password of the SMTP login.'),
		url: z.string().describe('SMTP host and login as a URL: `smtp://username:password@host:port`.'),
		send_key: z.string().describe('Key for the sending APIs. Mail sent with it is stored in the inbox.'),
	}),
);

export const createdInboxSchema = bodySchema<CreatedInboxBody>()(
	'CreatedInbox',
	inboxSchema.extend({
		smtp: credentialsSchema.nullable().describe('SMTP login of the inbox; null while the daemon does not accept mail.'),
	}),
);

export const inboxListSchema = bodySchema<InboxListBody>()(
	'InboxList',
	z.object({
		inboxes: z.array(inboxSchema).describe('Inboxes, the newest first.'),
		total: totalField,
		...pageAnswer,
	}),
);
