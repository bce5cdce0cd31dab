import {z} from 'zod';
import {
	type CreatedInboxBody,
	type CredentialsBody,
	type InboxBody,
	type InboxBounce,
	type InboxListBody,
	routings,
} from '../../../contract/inboxes.js';
import {bodySchema} from '../body-schema.js';
import {amountField, pageAnswer, portField, timeField} from './fields.js';

const inboxBounceSchema = bodySchema<InboxBounce>()(
	'InboxBounce',
	z.object({status: z.string().describe('RFC 3463, such as `5.1.1`.'), delay_ms: amountField}),
);

export const inboxSchema = bodySchema<InboxBody>()(
	'Inbox',
	z.object({
		id: z.string(),
		email_address: z.string().describe('An exact address, `*@domain`, or `*`.'),
		name: z.string().nullable(),
		message_count: amountField,
		team_id: z.string().nullable(),
		routing: z
			.enum(routings)
			.describe('Where mail goes of who logged in as the inbox: into it, or to the inboxes of its recipients.'),
		bounce: inboxBounceSchema.nullable().describe('A bounce that comes back by itself for each mail.'),
		simulator: z.boolean().describe('Its addresses do what those of the simulator of Amazon SES do.'),
		keep: amountField.nullable().describe('How many messages it keeps; null is what the daemon does by default.'),
		keep_for: amountField.nullable().describe('How many seconds it keeps each; null is as above.'),
		evicted: amountField.describe('How many messages went because it keeps no more, or not for longer.'),
		expires_at: timeField.nullable().describe('When it goes with its mail.'),
		created_at: timeField,
	}),
);

export const credentialsSchema = bodySchema<CredentialsBody>()(
	'Credentials',
	z.object({
		host: z.string(),
		port: portField,
		tls_port: portField
			.nullable()
			.describe('Where TLS begins with the connection; null where nobody listens for that.'),
		username: z.string(),
		password: z.string(),
		url: z.string().describe('All of it for programs that take a URL: `smtp://username:password@host:port`.'),
		send_key: z.string().describe('For the sending APIs: the key by which all mail goes into the inbox.'),
	}),
);

export const createdInboxSchema = bodySchema<CreatedInboxBody>()(
	'CreatedInbox',
	inboxSchema.extend({smtp: credentialsSchema.nullable().describe('Null while no mail is taken.')}),
);

export const inboxListSchema = bodySchema<InboxListBody>()(
	'InboxList',
	z.object({inboxes: z.array(inboxSchema), total: amountField, ...pageAnswer}),
);
