import {fieldsOf} from './answers.js';
import type {Page} from './page.js';

/**
 * Where mail goes of who logged in as an inbox: into that inbox and no other, whatever its recipients, or to the inboxes of
 * its recipients, as mail of everybody else.
 */
export const routings = ['login', 'recipients'] as const;

export type Routing = (typeof routings)[number];

/** A bounce that comes back by itself for each mail, with this status (RFC 3463), so long after it. */
export type InboxBounce = {readonly status: string; readonly delay_ms: number};

/** The delay is 0 unless given. */
export type GivenBounce = {readonly status: string; readonly delay_ms?: number | undefined};

export type CreateInbox = {
	readonly name?: string | null | undefined;
	readonly team_id?: string | null | undefined;
	/** An exact address, `*@domain`, or `*`. */
	readonly email_address?: string | null | undefined;
	/** Seconds until the inbox goes with its mail; null is never. */
	readonly ttl?: number | null | undefined;
	readonly routing?: Routing | undefined;
	readonly bounce?: GivenBounce | null | undefined;
	/** Its addresses do what those of the simulator of Amazon SES do; it claims such a one, `*@domain` or `*`. */
	readonly simulator?: boolean | undefined;
	/** How many messages it keeps: the newest. 0 is all, null what the daemon does by default. */
	readonly keep?: number | null | undefined;
	/** How many seconds it keeps each. 0 is for ever, null what the daemon does by default. */
	readonly keep_for?: number | null | undefined;
};

export type UpdateInbox = {
	readonly name?: string | null | undefined;
	/** Null takes it out of its team. */
	readonly team_id?: string | null | undefined;
	readonly routing?: Routing | undefined;
	readonly bounce?: GivenBounce | null | undefined;
	readonly simulator?: boolean | undefined;
	/** As for a new one; what is too much then goes at once. */
	readonly keep?: number | null | undefined;
	readonly keep_for?: number | null | undefined;
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
	readonly routing: Routing;
	readonly bounce: InboxBounce | null;
	readonly simulator: boolean;
	/** As given: null is what the daemon does by default, 0 is no bound. */
	readonly keep: number | null;
	readonly keep_for: number | null;
	/** How many messages went because it keeps no more, or not for longer. */
	readonly evicted: number;
	readonly expires_at: string | null;
	readonly created_at: string;
};

export const inboxFields = fieldsOf<InboxBody>()(
	'id email_address name message_count team_id routing bounce simulator keep keep_for evicted expires_at created_at',
);

/** The credentials of an inbox, and where they serve. */
export type CredentialsBody = {
	readonly host: string;
	readonly port: number;
	/** Where TLS begins with the connection; null where nobody listens for that. */
	readonly tls_port: number | null;
	readonly username: string;
	readonly password: string;
	/** All of it for programs that take a URL: `smtp://username:password@host:port`. */
	readonly url: string;
	/** For the sending APIs: the key by which all mail goes into the inbox. */
	readonly send_key: string;
};

export const credentialsFields = fieldsOf<CredentialsBody>()('host port tls_port username password url send_key');

/** `smtp` is null while no mail is taken. */
export type CreatedInboxBody = InboxBody & {readonly smtp: CredentialsBody | null};

export const createdInboxFields = [...inboxFields, 'smtp'];

export type InboxListBody = Page & {readonly inboxes: readonly InboxBody[]; readonly total: number};
