/** Page of a list: `page` starts at 1, `limit` is at most 100 (default 20). */
export type Page = {readonly page: number; readonly limit: number};

/** Number of rows before the page. */
export function offsetOf({page, limit}: Page): number {
	return (page - 1) * limit;
}

/** Default number of rows of a page. */
export const defaultLimit = 20;

/** Maximum number of rows of a page; higher limits are lowered to it. */
export const maxLimit = 100;

/** Name of the newest item of a list, in place of its id. */
export const latest = 'latest';

/** True for a UUID in lower case, the form of all ids; false for a name or an address. */
export function isUuid(text: string): boolean {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}

/** Maximum number of seconds that a request is held open. */
export const maxWait = 60;

/** Maximum number and total bytes of mails that one request can import or read. */
export const maxTogether = {mails: 100, bytes: 256 * 1024} as const;

/** Ways to compare the texts of a filter; see `MessageFilter.match`. */
export const matches = ['text', 'pattern', 'exact'] as const;

export type Match = (typeof matches)[number];

/** Findings that a filter can require. */
export const findings = ['code', 'link'] as const;

/** One-time code or link. */
export type FindingName = (typeof findings)[number];

/** Maximum length of a text or a pattern in a filter or a fault. */
export const maxPatternLength = 1000;

/** Subsets of fields that a list can return. */
export const rowFields = ['summary', 'envelope'] as const;

export type RowFields = (typeof rowFields)[number];

/** Destination of mail sent with the login of an inbox: that inbox (`login`), or the inboxes of the recipients (`recipients`). */
export const routings = ['login', 'recipients'] as const;

export type Routing = (typeof routings)[number];

/** Reply to a mail: delivery status notification (RFC 3464), complaint (RFC 5965) or automatic reply (RFC 3834). */
export const bounceKinds = ['bounce', 'complaint', 'autoreply'] as const;

export type BounceKind = (typeof bounceKinds)[number];

/** Default status of a bounce: the mailbox does not exist. */
export const defaultStatus = '5.1.1';

/** Maximum delay of an automatic bounce in milliseconds. */
export const maxBounceDelayMs = 86_400_000;

/** Enhanced status code (RFC 3463): 2 delivered, 4 delayed, 5 failed. */
export const statusPattern = /^[245]\.\d{1,3}\.\d{1,3}$/;

/** SMTP server URL; `smtps` uses TLS from the start. */
export const mailTargetPattern =
	/^[Ss][Mm][Tt][Pp][Ss]?:\/\/(?:[A-Za-z\d][A-Za-z\d.-]*|\[[\dA-Fa-f:.]+\])(?::\d{1,5})?\/?$/;

/** Local parts with a special meaning in the Amazon SES mailbox simulator. */
export const simulatorNames = ['success', 'bounce', 'complaint', 'ooto', 'suppressionlist'] as const;

/** SMTP stages at which a fault can act, in session order; `end` is after the mail data. */
export const faultStages = ['connect', 'helo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;

export type FaultStage = (typeof faultStages)[number];

/** Stages of the faults of an inbox: the inbox is not known before AUTH. */
export const inboxFaultStages = ['auth', 'mail', 'rcpt', 'data', 'end'] as const satisfies readonly FaultStage[];

/**
 * Point at which a fault closes the connection: `before` the reply (nothing is stored); `mid`, in the middle of the mail data (stage `data`)
 * or of the reply; `after_commit`, without a reply after the mail is stored (stage `end`).
 */
export const faultDrops = ['before', 'mid', 'after_commit'] as const;

export type FaultDrop = (typeof faultDrops)[number];

/** Units that a fault can count separately. */
export const faultKeys = ['recipient', 'message'] as const;

export type FaultKey = (typeof faultKeys)[number];

/** Maximum values of a fault, and maximum number of faults of an inbox and of the daemon. */
export const faultLimits = {
	faults: 100,
	delayMs: 5 * 60_000,
	byteDelayMs: 10_000,
	rateCount: 250,
	rateSeconds: 86_400,
	replyLength: 400,
} as const;

/** Stage of the session at which mail was refused; `connect` covers everything that is not about a mail. */
export const refusalStages = ['connect', 'tls', 'auth', 'mail', 'rcpt', 'data'] as const;

export type RefusalStage = (typeof refusalStages)[number];

/** Reason of a refusal if a fault closed the connection. */
export const droppedByFault = 'a fault closed the connection';

/** Events that an endpoint in the `tinbox` format can subscribe to. */
export const webhookEvents = ['message.received', 'fault.hit'] as const;

/** Outcomes of a mail that was sent through a sending API. */
export type MailEventKind = 'delivered' | 'bounced' | 'complained' | 'opened';

/** Events that an endpoint in the format of a sending API can subscribe to. */
export const mailEventNames = ['email.delivered', 'email.bounced', 'email.complained', 'email.opened'] as const;

export const allWebhookEvents = [...webhookEvents, ...mailEventNames] as const;

export type WebhookEvent = (typeof allWebhookEvents)[number];

/** Formats of webhook requests: `tinbox`, or the format of a sending API, for reports on mail sent through that API. */
export const endpointFormats = ['tinbox', 'resend', 'sendgrid', 'postmark', 'mailgun', 'ses'] as const;

export type EndpointFormat = (typeof endpointFormats)[number];

/** Format of a sending API. */
export type MailFormat = Exclude<EndpointFormat, 'tinbox'>;

/**
 * States of a delivery: not attempted yet, accepted by the receiver, failed (another attempt follows unless it is a test), and
 * given up.
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'dead'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Headers of webhook requests. The last three are defined by Standard Webhooks. */
export const webhookHeaders = {
	event: 'X-Tinbox-Event',
	deliveryId: 'X-Tinbox-Delivery-Id',
	bodySignature: 'X-Tinbox-Signature',
	id: 'webhook-id',
	timestamp: 'webhook-timestamp',
	signature: 'webhook-signature',
} as const;

/** Providers whose sending APIs are emulated, and tinbox itself. */
export const sendProviders = ['resend', 'ses', 'sendgrid', 'postmark', 'mailgun', 'tinbox'] as const;

export type SendProvider = (typeof sendProviders)[number];

/** Maximum number of templates of a user. */
export const maxTemplates = 200;

/** Maximum size of the templates of one user, and of all users together, in bytes. */
export const maxTemplateBytes = {perUser: 16 * 1024 * 1024, inAll: 64 * 1024 * 1024} as const;

/** Plans, from the smallest to the largest. */
export const plans = ['free', 'starter', 'pro', 'business'] as const;

export type Plan = (typeof plans)[number];

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

/** Roles that an invite can give. */
export const invitedRoles = ['member', 'admin'] as const;

export type InvitedRole = (typeof invitedRoles)[number];

/** Prefix of every API key. */
export const apiKeyStart = 'tbx_live_';

/** Length of `key_prefix`, the part of a key that stays visible. */
export const keyPrefixLength = 16;

/**
 * Header that proves that the web app sent a request, because forms cannot set it. Required below `/app/v1` except for reads.
 * Its value is `app_key`, the half of the session secret that the page stores, or any text while there is no session.
 */
export const appHeader = 'X-Tinbox-App';

/** Optional permissions of agents: sending mail, and creating faults. */
export const mcpExtras = ['send', 'faults'] as const;

export type McpExtra = (typeof mcpExtras)[number];

/** Name for every inbox that the user sees, in the list of inboxes that agents can read. */
export const allInboxes = 'all';

export const problemType = 'application/problem+json';
