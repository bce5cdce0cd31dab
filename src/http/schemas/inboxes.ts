import {z} from 'zod';
import {simulatorNames} from '../../contract/bounces.js';
import {routings} from '../../contract/inboxes.js';
import {statusField} from './bounces.js';
import {lifetimeField, nameField, pageFields} from './fields.js';

/** An exact address, `*@domain`, or `*`. */
const claimField = z
	.string()
	.trim()
	.max(254, 'must be at most 254 characters long')
	.regex(
		/^(\*|\*@[^\s@*\p{Cc}\p{Cs}]+|[^\s@*\p{Cc}\p{Cs}]{1,64}@[^\s@*\p{Cc}\p{Cs}]+)$/u,
		'must be an address, "*@domain", or "*"',
	);

/** The longest delay of a bounce. */
const maxDelayMs = 86_400_000;

const bounceField = z
	.strictObject({
		status: statusField,
		delay_ms: z
			.number()
			.refine(Number.isInteger, {error: 'must be a whole number', abort: true})
			.min(0)
			.max(maxDelayMs)
			.default(0),
	})
	.readonly();

export const createInbox = z
	.strictObject({
		name: nameField.nullable().default(null),
		team_id: z.string().nullable().default(null),
		email_address: claimField.nullable().default(null),
		ttl: lifetimeField.nullable().default(null),
		routing: z.enum(routings).default('login'),
		bounce: bounceField.nullable().default(null),
		simulator: z.boolean().default(false),
	})
	.refine(({simulator, email_address}) => !simulator || isSimulated(email_address), {
		path: ['simulator'],
		error: `is for an inbox with the address "*@domain" or one that begins with ${simulatorNames.join('@, ')}@`,
	});

export const updateInbox = z.strictObject({
	name: nameField.nullish(),
	team_id: z.string().nullish(),
	routing: z.enum(routings).optional(),
	bounce: bounceField.nullish(),
	simulator: z.boolean().optional(),
});

export const listInboxes = z.strictObject({...pageFields, email_address: z.string().optional()});

function isSimulated(claim: string | null): boolean {
	const [localPart] = (claim ?? '').toLowerCase().split('@', 1);
	return localPart === '*' || simulatorNames.some(name => name === localPart);
}
