import type {Page, Routing} from './constants.js';

/** Automatic bounce for each mail: enhanced status code (RFC 3463), and delay in milliseconds. */
export type InboxBounce = {readonly status: string; readonly delay_ms: number};

/** Automatic bounce to set; `delay_ms` defaults to 0. */
export type GivenBounce = {readonly status: string; readonly delay_ms?: number | undefined};

/** Inbox to create. */
export type CreateInbox = {
	/** Label; null for none. */
	readonly name?: string | null | undefined;
	/** Id of the team to share the inbox with; null for none. */
	readonly team_id?: string | null | undefined;
	/** Address to claim: an exact address, `*@domain`, or `*` for mail that no other inbox receives; null creates a random one. */
	readonly email_address?: string | null | undefined;
	/** Seconds until the inbox and its mail are deleted; null for never. */
	readonly ttl?: number | null | undefined;
	/** Destination of mail sent with the login of the inbox (default `login`). */
	readonly routing?: Routing | undefined;
	/** Bounce that is sent back automatically for each mail; null for none. */
	readonly bounce?: GivenBounce | null | undefined;
	/** True if addresses such as `bounce@` and `complaint@` behave like the Amazon SES mailbox simulator. */
	readonly simulator?: boolean | undefined;
	/** Maximum number of messages to keep, the newest; 0 keeps all, null uses the default of the daemon. */
	readonly keep?: number | null | undefined;
	/** Seconds to keep each message; 0 keeps messages forever, null uses the default of the daemon. */
	readonly keep_for?: number | null | undefined;
};

/** Changes of an inbox. Fields that are left out keep their values. */
export type UpdateInbox = {
	/** Label; null removes it. */
	readonly name?: string | null | undefined;
	/** Id of the team to share the inbox with; null takes the inbox out of its team. */
	readonly team_id?: string | null | undefined;
	/** Destination of mail sent with the login of the inbox. */
	readonly routing?: Routing | undefined;
	/** Bounce that is sent back automatically for each mail; null for none. */
	readonly bounce?: GivenBounce | null | undefined;
	/** True if addresses such as `bounce@` and `complaint@` behave like the Amazon SES mailbox simulator. */
	readonly simulator?: boolean | undefined;
	/** Maximum number of messages to keep; excess ones are deleted immediately. 0 keeps all, null uses the default of the daemon. */
	readonly keep?: number | null | undefined;
	/** Seconds to keep each message; older ones are deleted immediately. 0 keeps messages forever, null uses the default of the daemon. */
	readonly keep_for?: number | null | undefined;
};

/** Query of a list of inboxes. */
export type ListInboxes = Partial<Page> & {
	/** Return only the inbox with exactly this address, `*@domain` or `*`; case is ignored. */
	readonly email_address?: string | undefined;
};

/** Inbox with its settings and counters. */
export type InboxBody = {
	readonly id: string;
	/** Exact address, `*@domain`, or `*`. */
	readonly email_address: string;
	/** Label; null for none. */
	readonly name: string | null;
	/** Number of messages in the inbox. */
	readonly message_count: number;
	/** Id of the team that shares the inbox; null for none. */
	readonly team_id: string | null;
	/** Destination of mail sent with the login of the inbox. */
	readonly routing: Routing;
	/** Bounce that is sent back automatically for each mail; null for none. */
	readonly bounce: InboxBounce | null;
	/** True if addresses such as `bounce@` and `complaint@` behave like the Amazon SES mailbox simulator. */
	readonly simulator: boolean;
	/** Maximum number of messages to keep; 0 keeps all, null uses the default of the daemon. */
	readonly keep: number | null;
	/** Seconds to keep each message; 0 keeps messages forever, null uses the default of the daemon. */
	readonly keep_for: number | null;
	/** Number of messages evicted so far because of `keep` or `keep_for`. */
	readonly evicted: number;
	/** Time when the inbox and its mail are deleted (ISO 8601); null for never. */
	readonly expires_at: string | null;
	readonly created_at: string;
};

/** SMTP login and send key of an inbox. */
export type CredentialsBody = {
	/** Host of the SMTP listener. */
	readonly host: string;
	/** Port of the SMTP listener. */
	readonly port: number;
	/** Port of the SMTPS listener (implicit TLS); null if there is none. */
	readonly tls_port: number | null;
	readonly username: string;
	readonly password: string;
	/** SMTP host and login as a URL: `smtp://username:password@host:port`. */
	readonly url: string;
	/** Key for the sending APIs. Mail sent with it is stored in the inbox. */
	readonly send_key: string;
};

/** Created inbox; `smtp` is null while the daemon does not accept mail. */
export type CreatedInboxBody = InboxBody & {readonly smtp: CredentialsBody | null};

/** Page of inboxes, the newest first; `total` counts all pages. */
export type InboxListBody = Page & {readonly inboxes: readonly InboxBody[]; readonly total: number};
