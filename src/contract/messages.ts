import type {FindingName, Match, Page, RowFields, SendProvider} from './constants.js';
import type {RefusalListBody} from './daemon.js';
import type {FaultHitBody} from './faults.js';

/** Conditions of a list or a wait; a message must match all. */
export type MessageFilter = {
	/** Text in the subject; always a case-insensitive substring. */
	readonly q?: string | undefined;
	/** Text in the subject. */
	readonly subject?: string | undefined;
	/** Text in the address or name of the sender. */
	readonly from?: string | undefined;
	/** Text in an envelope recipient, or in an address or name of the `To` header field. */
	readonly to?: string | undefined;
	/** True for mail received over TLS, false for unencrypted mail. */
	readonly tls?: boolean | undefined;
	/** User name of the SMTP login that sent the mail; compared exactly. */
	readonly smtp_user?: string | undefined;
	/** Text in the text or the HTML of the mail. */
	readonly contains?: string | undefined;
	/** Header fields as `Name: value`; `Name:` only requires the field. */
	readonly header?: readonly string[] | undefined;
	/** Findings that the message must contain. */
	readonly has?: readonly FindingName[] | undefined;
	/** Texts in the address or the text of a link. */
	readonly link?: readonly string[] | undefined;
	/**
	 * Comparison of texts, except `q` and `smtp_user`: `text` (default) for case-insensitive substrings; `pattern` to also accept
	 * `/regex/flags` (RE2 syntax; flags i, m, s, u); `exact` like `pattern`, but texts must equal the whole value (except for
	 * `contains` and `link`).
	 */
	readonly match?: Match | undefined;
	/** Only messages newer than the message with this id, or received at or after this time (ISO 8601; a date means 0:00 UTC). */
	readonly after?: string | undefined;
};

/** Query of a list of messages. */
export type ListMessages = MessageFilter &
	Partial<Page> & {
		/** Only messages older than the message with this id, even if that message was deleted; gets the next page of a list. */
		readonly before?: string | undefined;
		/** Return only `MessageSummaryBody` or `MessageEnvelopeBody`; faster, because no mail is parsed. */
		readonly fields?: RowFields | undefined;
		/** Seconds to wait for the first match: a whole number, at most 60. */
		readonly wait?: number | undefined;
	};

/** Attachment of a message, without its content. */
export type AttachmentBody = {
	/** Id of the attachment, unique within the message. */
	readonly id: string;
	/** File name; empty if the mail gives none. */
	readonly filename: string;
	/** Media type. */
	readonly content_type: string;
	/** Size of the decoded content in bytes. */
	readonly size: number;
	/** Content-ID that the HTML refers to as `cid:`; null for none. */
	readonly content_id: string | null;
	/** Content-Disposition, `attachment` or `inline`; null for none. */
	readonly disposition: string | null;
};

/** Address in a header field, with its display name (null for none). */
export type MailboxBody = {readonly name: string | null; readonly address: string};

/** Delivery status notifications that the sender requested (RFC 3461), decoded. */
export type DsnBody = {
	/** Part of the mail that a notification returns (`RET`). */
	readonly ret?: 'FULL' | 'HDRS';
	/** Envelope id given by the sender (`ENVID`). */
	readonly envid?: string;
	/** Parameters of the recipients that have any (`NOTIFY`, `ORCPT`), by envelope address. */
	readonly recipients?: Readonly<Record<string, {readonly notify?: readonly string[]; readonly orcpt?: string}>>;
};

/** SMTP envelope (RFC 5321, section 3.3). */
export type EnvelopeBody = {
	/** Envelope sender (`MAIL FROM`); empty for a bounce. */
	readonly from: string;
	/** Envelope recipients (`RCPT TO`). */
	readonly to: readonly string[];
	/** Requested delivery status notifications; absent for none. */
	readonly dsn?: DsnBody;
};

/** Sending API request of a mail, with values that are not part of the mail. */
export type SendRequestBody = {
	readonly provider: SendProvider;
	/** Path of the request, relative to the base path of the provider. */
	readonly path: string;
	/** Id of the mail in the response of the sending API. */
	readonly id: string;
	readonly tags: ReadonlyArray<{readonly name: string | null; readonly value: string}>;
	readonly metadata: Readonly<Record<string, string>>;
	/** Template of the mail (`registered` is true if tinbox has it); null for none. */
	readonly template: {readonly id: string; readonly registered: boolean} | null;
	/** Sentences about parts of the request that were not understood or have no effect here; also in the warnings of the message. */
	readonly warnings: readonly string[];
};

/** SMTP session or sending API request of a mail. All values except the host are given by the client. */
export type SessionBody = {
	/** TLS parameters; null for an unencrypted connection. */
	readonly tls: {
		/** TLS version, such as `TLSv1.3`. */
		readonly version: string;
		/** Standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`. */
		readonly cipher: string;
		/** Server name (SNI) that the client requested; null for none. */
		readonly servername: string | null;
		/** Subject of the verified client certificate; absent for none. */
		readonly client?: string;
	} | null;
	/** SMTP login; null if the client did not log in. Passwords are not stored. */
	readonly auth: {readonly mechanism: string; readonly user: string} | null;
	/** Client; `helo` is its name in HELO or EHLO, or its `User-Agent` for a sending API (null for none). */
	readonly client: {readonly host: string; readonly helo: string | null};
	/** Request of the sending API; absent for mail received over SMTP. */
	readonly request?: SendRequestBody;
};

/** Message, without its header fields. */
export type MessageBody = {
	readonly id: string;
	readonly inbox_id: string;
	/** Address in the `From` header field, or the envelope sender if there is none. */
	readonly from: string;
	/** Name in the `From` header field; null for none. */
	readonly from_name: string | null;
	/** Envelope recipient that led to the inbox. */
	readonly to: string;
	/** Addresses in the `Cc` header field. */
	readonly cc: readonly string[];
	/** Addresses in the `Reply-To` header field. */
	readonly reply_to: readonly string[];
	/** Names and addresses in the header fields. */
	readonly recipients: Readonly<Record<'to' | 'cc' | 'reply_to', readonly MailboxBody[]>>;
	/** Time in the `Date` header field (ISO 8601); null if it is missing or invalid. */
	readonly date: string | null;
	readonly subject: string;
	/** Plain text; for a mail that has only HTML, its HTML as text. */
	readonly text: string;
	/** HTML; empty if there is none. */
	readonly html: string;
	/** Size of the source in bytes. */
	readonly size: number;
	readonly attachments: readonly AttachmentBody[];
	/** One-time codes found in the mail, the best candidate first. */
	readonly codes: readonly string[];
	/** Links found in the mail with their texts, the best candidate first. */
	readonly links: ReadonlyArray<{readonly url: string; readonly text: string}>;
	/** Message-ID header field without angle brackets; empty if there is none. */
	readonly message_id: string;
	readonly envelope: EnvelopeBody;
	/** Session that delivered the mail; null for mail that was imported or that the daemon generated. */
	readonly session: SessionBody | null;
	/** Sentences about parts of a damaged mail that could not be read. */
	readonly warnings: readonly string[];
	/** Time when the message was stored (ISO 8601). */
	readonly received_at: string;
};

/** Summary of a message for lists. */
export type MessageSummaryBody = Pick<
	MessageBody,
	'id' | 'inbox_id' | 'from' | 'from_name' | 'to' | 'subject' | 'size' | 'received_at'
>;

/** Summary of a message with its envelope. */
export type MessageEnvelopeBody = MessageSummaryBody & Pick<MessageBody, 'envelope'>;

/** Envelope of imported mail. Fields that are left out are taken from its header. */
export type ImportMail = {readonly from?: string | undefined; readonly to?: readonly string[] | undefined};

/** Mails to import together, each in base64. */
export type ImportMails = ImportMail & {readonly sources: readonly string[]};

/** Source of a message in base64. */
export type MessageSourceBody = {readonly id: string; readonly source: string};

/** Message that an import would create, with warnings. */
export type ImportCheckBody = Pick<
	MessageBody,
	'from' | 'from_name' | 'to' | 'subject' | 'date' | 'message_id' | 'size' | 'envelope' | 'warnings'
>;

/** Near miss: a message that failed a filter, with a sentence for each failed condition. */
export type MissBody = {readonly message: MessageSummaryBody; readonly reasons: readonly string[]};

/** Reasons why no message matches: near misses (the nearest first), refused mail and fault hits (the newest first). */
export type MissesBody = RefusalListBody & {
	readonly misses: readonly MissBody[];
	readonly hits: readonly FaultHitBody[];
	/** Number of messages that the inbox evicted, in total or since `evicted_after`. */
	readonly evicted: number;
};

/** Link to a page that shows one message. Anyone who has the link can read the message until it expires. */
export type PreviewBody = {readonly url: string; readonly expires_at: string};

/** Message with its header fields, in the order of the mail. */
export type FullMessageBody = MessageBody & {
	readonly headers: ReadonlyArray<{readonly name: string; readonly value: string}>;
};

/** Sending API request that created a message. */
export type MessageRequestBody = {
	/** Provider whose API was used, such as `resend`. */
	readonly provider: string;
	readonly method: string;
	/** Path with query. */
	readonly path: string;
	/** Header fields by lower-case name, without credentials and signatures. */
	readonly headers: Readonly<Record<string, string>>;
	/** Request body; null if it is not stored because it is very large or its mails went to inboxes of different users. */
	readonly body: string | null;
	/** Present if `body` is in base64 because it is not UTF-8 text. */
	readonly encoding?: 'base64';
	/** Size of the request body in bytes. */
	readonly size: number;
	/** Values for the template of the mail; null for none. */
	readonly data: Readonly<Record<string, unknown>> | null;
};
