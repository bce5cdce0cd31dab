import {z} from 'zod';
import {lifetimeField, nameField, pageFields} from './fields.js';

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
	ttl: lifetimeField.nullish(),
});
export type CreateInbox = {
	readonly name?: string | null | undefined;
	readonly team_id?: string | null | undefined;
	/** An exact address, `*@domain`, or `*`. */
	readonly email_address?: string | null | undefined;
	/** Seconds until the inbox goes with its mail; null is never. */
	readonly ttl?: number | null | undefined;
};

export const updateInbox = z.strictObject({name: nameField.nullish(), team_id: z.string().nullish()});
export type UpdateInbox = {
	readonly name?: string | null | undefined;
	/** Null takes it out of its team. */
	readonly team_id?: string | null | undefined;
};

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
