import {z} from 'zod';
import {nameField, pageFields} from './fields.js';

/** An exact address, `*@domain`, or `*`. */
const claimField = z
	.string()
	.trim()
	.max(254, 'must be at most 254 characters long')
	.regex(/^(\*|\*@[^\s@*\p{Cc}]+|[^\s@*\p{Cc}]{1,64}@[^\s@*\p{Cc}]+)$/u, 'must be an address, "*@domain", or "*"');

export const createInbox = z.strictObject({
	name: nameField.nullish(),
	team_id: z.string().nullish(),
	email_address: claimField.nullish(),
	/** Seconds until the inbox goes with its mail; null is never. */
	ttl: z
		.int()
		.min(1)
		.max(10 * 365 * 86_400)
		.nullish(),
});
export type CreateInbox = z.input<typeof createInbox>;

export const updateInbox = z.strictObject({name: nameField.nullish(), team_id: z.string().nullish()});
export type UpdateInbox = z.input<typeof updateInbox>;

export const listInboxes = z.strictObject(pageFields);

export type InboxBody = {
	readonly id: string;
	readonly email_address: string;
	readonly name: string | null;
	readonly message_count: number;
	readonly team_id: string | null;
	readonly expires_at: string | null;
	readonly created_at: string;
};

export type InboxListBody = {
	readonly inboxes: readonly InboxBody[];
	readonly total: number;
	readonly page: number;
	readonly limit: number;
};
