import {z} from 'zod';
import {routings} from '../../contract/inboxes.js';
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

export const createInbox = z.strictObject({
	name: nameField.nullable().default(null),
	team_id: z.string().nullable().default(null),
	email_address: claimField.nullable().default(null),
	ttl: lifetimeField.nullable().default(null),
	routing: z.enum(routings).default('login'),
});

export const updateInbox = z.strictObject({
	name: nameField.nullish(),
	team_id: z.string().nullish(),
	routing: z.enum(routings).optional(),
});

export const listInboxes = z.strictObject({...pageFields, email_address: z.string().optional()});
