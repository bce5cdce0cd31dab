import {z} from 'zod';
import {maxBounceDelayMs, routings, simulatorNames} from '../../contract/constants.js';
import {longestMs} from '../../lib/units.js';
import {statusField} from './bounces.js';
import {isWhole, lifetimeField, nameField, pageFields, wholeNumber} from './fields.js';

/** Field descriptions that requests and responses share. */
export const inboxTexts = {
	routing:
		'Destination of mail sent with the login of the inbox: `login` stores it in this inbox, `recipients` delivers it to the inboxes of its recipients.',
	bounce: 'Bounce that is sent back automatically for each mail; null for none.',
	simulator:
		'True if the addresses `success@`, `bounce@`, `complaint@`, `ooto@` and `suppressionlist@` behave as in the Amazon SES mailbox simulator.',
	keep: 'Maximum number of messages to keep, the newest; 0 keeps all, null uses the default of the daemon.',
	keep_for: 'Seconds to keep each message; 0 keeps messages forever, null uses the default of the daemon.',
};

export const bounceTexts = {
	status: 'Enhanced status code (RFC 3463), such as `5.1.1`.',
	delay_ms: 'Milliseconds between the mail and the bounce.',
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
	.refine(isWhole, 'must be an address, "*@domain", or "*"');

const bounceField = z
	.strictObject({
		status: statusField.describe(bounceTexts.status),
		delay_ms: wholeNumber(0, maxBounceDelayMs, ' ms').default(0).describe(`${bounceTexts.delay_ms} Default 0.`),
	})
	.readonly();

const keepField = wholeNumber(0, 1_000_000_000);

/** Ten years at most. */
const keepForField = wholeNumber(0, longestMs / 1000, ' s');

export const createInbox = z
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
		routing: z.enum(routings).default('login').describe(`${inboxTexts.routing} Default \`login\`.`),
		bounce: bounceField.nullable().default(null).describe(inboxTexts.bounce),
		simulator: z
			.boolean()
			.default(false)
			.describe(
				`${inboxTexts.simulator} Requires \`email_address\` to be one of these addresses or \`*@domain\`. Default false.`,
			),
		keep: keepField.nullable().default(null).describe(inboxTexts.keep),
		keep_for: keepForField.nullable().default(null).describe(inboxTexts.keep_for),
	})
	.refine(({simulator, email_address}) => !simulator || isSimulated(email_address), {
		path: ['simulator'],
		error: `requires the address "*@domain" or an address that begins with ${simulatorNames.join('@, ')}@`,
	})
	.meta({id: 'CreateInbox'});

export const updateInbox = z
	.strictObject({
		name: nameField.nullish().describe('Label of the inbox, 1 to 100 characters; null removes it.'),
		team_id: z
			.string()
			.nullish()
			.describe('Id of the team to share the inbox with; null takes the inbox out of its team.'),
		routing: z.enum(routings).optional().describe(inboxTexts.routing),
		bounce: bounceField.nullish().describe(inboxTexts.bounce),
		simulator: z.boolean().optional().describe(inboxTexts.simulator),
		keep: keepField.nullish().describe(`${inboxTexts.keep} Excess messages are deleted in batches.`),
		keep_for: keepForField.nullish().describe(`${inboxTexts.keep_for} Older messages are deleted in batches.`),
	})
	.meta({id: 'UpdateInbox'});

export const listInboxes = z.strictObject({
	...pageFields,
	email_address: z
		.string()
		.optional()
		.describe('Return only the inbox with exactly this address, `*@domain` or `*`. Case is ignored.'),
});

function isSimulated(claim: string | null): boolean {
	const [localPart] = (claim ?? '').toLowerCase().split('@', 1);
	return localPart === '*' || simulatorNames.some(name => name === localPart);
}
