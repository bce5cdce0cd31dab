import {fieldsOf} from './answers.js';
import type {Page} from './page.js';

export type CreateInbox = {
	readonly name?: string | null | undefined;
	readonly team_id?: string | null | undefined;
	/** An exact address, `*@domain`, or `*`. */
	readonly email_address?: string | null | undefined;
	/** Seconds until the inbox goes with its mail; null is never. */
	readonly ttl?: number | null | undefined;
};

export type UpdateInbox = {
	readonly name?: string | null | undefined;
	/** Null takes it out of its team. */
	readonly team_id?: string | null | undefined;
};

export type ListInboxes = Partial<Page> & {
	/** Only the one with this address, `*@domain` or `*`; compared as addresses are. */
	readonly email_address?: string | undefined;
};

export type InboxBody = {
	readonly id: string;
	readonly email_address: string;
	readonly name: string | null;
	readonly message_count: number;
	readonly team_id: string | null;
	readonly expires_at: string | null;
	readonly created_at: string;
};

export const inboxFields = fieldsOf<InboxBody>()('id email_address name message_count team_id expires_at created_at');

export type InboxListBody = Page & {readonly inboxes: readonly InboxBody[]; readonly total: number};
