import {z} from 'zod';
import {longestMs} from '../lib/text/units.js';
import {statusField} from './bounces.js';
import {
	amountField,
	type Body,
	type Input,
	isWellFormed,
	lifetimeField,
	nameField,
	nullableText,
	pageFields,
	pageParameters,
	portField,
	type Query,
	requestObject,
	responseObject,
	timeField,
	totalField,
	wholeNumber,
} from './common.js';
import {maxBounceDelayMs, routings, simulatorNames} from './constants.js';

/** Descriptions that requests and responses share. */
const texts = {
	routing:
		'Destination of mail sent with the login of the inbox: `login` stores it in this inbox, `recipients` delivers it to the inboxes of its recipients.',
	bounce: 'Bounce that is sent back automatically for each mail; null for none.',
	bounceStatus: 'Enhanced status code (RFC 3463), such as `5.1.1`.',
	bounceDelay: 'Milliseconds between the mail and the bounce.',
	simulator:
		'True if the addresses `success@`, `bounce@`, `complaint@`, `ooto@` and `suppressionlist@` behave as in the Amazon SES mailbox simulator.',
	keep: 'Maximum number of messages to keep, the newest; 0 keeps all, null uses the default of the daemon.',
	keep_for: 'Seconds to keep each message; 0 keeps messages forever, null uses the default of the daemon.',
};

/** Exact address, `*@domain`, or `*`. */
const claimField = z
	.string()
	.trim()
	.max(254, 'must be at most 254 characters long')
	.regex(
		/^(\*|\*@[^\s@*\x00-\x1f\x7f-\x9f]+|[^\s@*\x00-\x1f\x7f-\x9f]{1,64}@[^\s@*\x00-\x1f\x7f-\x9f]+)$/,
		'must be an address, "*@domain", or "*"',
	)
	.refine(isWellFormed, 'must be an address, "*@domain", or "*"');

const bounceField = z
	.strictObject({
		status: statusField.describe(texts.bounceStatus),
		delay_ms: wholeNumber(0, maxBounceDelayMs, ' ms').default(0).describe(`${texts.bounceDelay} Default 0.`),
	})
	.readonly();

const keepField = wholeNumber(0, 1_000_000_000);

const keepForField = wholeNumber(0, longestMs / 1000, ' s');

/** Inbox to create. */
export const createInboxSchema = z
	.strictObject({
		name: nameField.nullable().default(null).describe('Label of the inbox, 1 to 100 characters; null for none.'),
		team_id: z.string().nullable().default(null).describe('Id of the team to share the inbox with; null for none.'),
		email_address: claimField
			.nullable()
			.default(null)
			.describe(
				'Address to claim: an exact address, `*@domain` for a whole domain, or `*` for all mail that no other inbox receives. Null creates a random address.',
			),
		ttl: lifetimeField
			.nullable()
			.default(null)
			.describe('Seconds until the inbox and its mail are deleted; null for no expiry.'),
		routing: z.enum(routings).default('login').describe(`${texts.routing} Default \`login\`.`),
		bounce: bounceField.nullable().default(null).describe(texts.bounce),
		simulator: z
			.boolean()
			.default(false)
			.describe(
				`${texts.simulator} Requires \`email_address\` to be one of these addresses or \`*@domain\`. Default false.`,
			),
		keep: keepField.nullable().default(null).describe(texts.keep),
		keep_for: keepForField.nullable().default(null).describe(texts.keep_for),
	})
	.refine(({simulator, email_address}) => !simulator || isSimulated(email_address), {
		path: ['simulator'],
		error: `requires the address "*@domain" or an address that begins with ${simulatorNames.join('@, ')}@`,
	})
	.meta({id: 'CreateInbox'});

export type CreateInbox = Input<typeof createInboxSchema>;

/** Changes of an inbox. Fields that are left out keep their values. */
export const updateInboxSchema = requestObject('UpdateInbox', {
	name: nameField.nullish().describe('Label of the inbox, 1 to 100 characters; null removes it.'),
	team_id: z
		.string()
		.nullish()
		.describe('Id of the team to share the inbox with; null takes the inbox out of its team.'),
	routing: z.enum(routings).optional().describe(texts.routing),
	bounce: bounceField.nullish().describe(texts.bounce),
	simulator: z.boolean().optional().describe(texts.simulator),
	keep: keepField.nullish().describe(`${texts.keep} Excess messages are deleted in batches.`),
	keep_for: keepForField.nullish().describe(`${texts.keep_for} Older messages are deleted in batches.`),
});

export type UpdateInbox = Input<typeof updateInboxSchema>;

/** Query of a list of inboxes. */
export const listInboxesSchema = z.strictObject({
	...pageParameters,
	email_address: z
		.string()
		.optional()
		.describe('Return only the inbox with exactly this address, `*@domain` or `*`. Case is ignored.'),
	name: z.string().optional().describe('Return only inboxes with exactly this name.'),
});

export type ListInboxes = Query<typeof listInboxesSchema>;

/** Automatic bounce of an inbox. */
const inboxBounceSchema = responseObject('InboxBounce', {
	status: z.string().describe(texts.bounceStatus),
	delay_ms: amountField.describe(texts.bounceDelay),
});

export type InboxBounce = Body<typeof inboxBounceSchema>;

/** Inbox with its settings and counters. */
export const inboxSchema = responseObject('Inbox', {
	id: z.string().describe('Id of the inbox.'),
	email_address: z
		.string()
		.describe(
			'Address of the inbox: an exact address, `*@domain` for a whole domain, or `*` for all mail that no other inbox receives.',
		),
	name: nullableText.describe('Label of the inbox; null for none.'),
	message_count: amountField.describe('Number of messages in the inbox.'),
	team_id: nullableText.describe('Id of the team that shares the inbox; null for none.'),
	routing: z.enum(routings).describe(texts.routing),
	bounce: inboxBounceSchema.nullable().describe(texts.bounce),
	simulator: z.boolean().describe(texts.simulator),
	keep: amountField.nullable().describe(texts.keep),
	keep_for: amountField.nullable().describe(texts.keep_for),
	evicted: amountField.describe('Number of messages evicted so far because of `keep` or `keep_for`.'),
	expires_at: timeField.nullable().describe('Time when the inbox and its mail are deleted; null for never.'),
	created_at: timeField.describe('Time when the inbox was created.'),
});

export type InboxBody = Body<typeof inboxSchema>;

/** SMTP login and send key of an inbox. */
export const credentialsSchema = responseObject('Credentials', {
	host: z.string().describe('Host of the SMTP listener.'),
	port: portField.describe('Port of the SMTP listener.'),
	tls_port: portField.nullable().describe('Port of the SMTPS listener (implicit TLS); null if there is none.'),
	username: z.string().describe('User name of the SMTP login.'),
	password: z.string().describe('Password of the SMTP login.'),
	url: z.string().describe('SMTP host and login as a URL: `smtp://username:password@host:port`.'),
	send_key: z.string().describe('Key for the sending APIs. Mail sent with it is stored in the inbox.'),
});

export type CredentialsBody = Body<typeof credentialsSchema>;

/** Created inbox with its credentials. */
export const createdInboxSchema = inboxSchema
	.extend({
		smtp: credentialsSchema.nullable().describe('SMTP login of the inbox; null while the daemon does not accept mail.'),
	})
	.meta({id: 'CreatedInbox'});

export type CreatedInboxBody = Body<typeof createdInboxSchema>;

/** Page of inboxes. */
export const inboxListSchema = responseObject('InboxList', {
	inboxes: z.array(inboxSchema).describe('Inboxes, the newest first.'),
	total: totalField,
	...pageFields,
});

export type InboxListBody = Body<typeof inboxListSchema>;

function isSimulated(address: string | null): boolean {
	const [localPart] = (address ?? '').toLowerCase().split('@', 1);
	return localPart === '*' || simulatorNames.some(name => name === localPart);
}
