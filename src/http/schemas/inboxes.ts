import {z} from 'zod';
import {maxBounceDelayMs, simulatorNames} from '../../contract/bounces.js';
import {routings} from '../../contract/inboxes.js';
import {longestMs} from '../../lib/units.js';
import {statusField} from './bounces.js';
import {isWhole, lifetimeField, nameField, pageFields, wholeNumber} from './fields.js';

/** An exact address, `*@domain`, or `*`. */
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
		status: statusField,
		delay_ms: wholeNumber(0, maxBounceDelayMs, ' ms').default(0),
	})
	.readonly();

/** 0 is no bound. */
const keepField = wholeNumber(0, 1_000_000_000).describe('How many messages it keeps: the newest. 0 is all.');

/** Ten years at most. */
const keepForField = wholeNumber(0, longestMs / 1000, ' s').describe('How many seconds it keeps each. 0 is for ever.');

export const createInbox = z
	.strictObject({
		name: nameField.nullable().default(null),
		team_id: z.string().nullable().default(null),
		email_address: claimField.nullable().default(null),
		ttl: lifetimeField.nullable().default(null),
		routing: z.enum(routings).default('login'),
		bounce: bounceField.nullable().default(null),
		simulator: z.boolean().default(false),
		keep: keepField.nullable().default(null),
		keep_for: keepForField.nullable().default(null),
	})
	.refine(({simulator, email_address}) => !simulator || isSimulated(email_address), {
		path: ['simulator'],
		error: `is for an inbox with the address "*@domain" or one that begins with ${simulatorNames.join('@, ')}@`,
	})
	.meta({id: 'CreateInbox'});

export const updateInbox = z
	.strictObject({
		name: nameField.nullish(),
		team_id: z.string().nullish(),
		routing: z.enum(routings).optional(),
		bounce: bounceField.nullish(),
		simulator: z.boolean().optional(),
		keep: keepField.nullish(),
		keep_for: keepForField.nullish(),
	})
	.meta({id: 'UpdateInbox'});

export const listInboxes = z.strictObject({...pageFields, email_address: z.string().optional()});

function isSimulated(claim: string | null): boolean {
	const [localPart] = (claim ?? '').toLowerCase().split('@', 1);
	return localPart === '*' || simulatorNames.some(name => name === localPart);
}
