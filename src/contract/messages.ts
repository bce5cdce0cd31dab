import {fieldsOf} from './answers.js';
import type {FaultHitBody} from './faults.js';
import type {Page} from './page.js';
import type {RefusalListBody} from './refusals.js';
import type {SessionBody} from './session.js';

/** Seconds a list may be held open at most. */
export const maxWait = 60;

/** How the texts of a filter are read; said at `MessageFilter`. */
export const matches = ['text', 'pattern', 'exact'] as const;

export type Match = (typeof matches)[number];

/** What a filter can ask that a message has. */
export const findings = ['code', 'link'] as const;

/** A one-time code, or a link to click. */
export type FindingName = (typeof findings)[number];

/** What a list or a wait asks for; all that is given must hold. */
export type MessageFilter = {
	/** In the subject; always a substring without case. */
	readonly q?: string | undefined;
	readonly subject?: string | undefined;
	/** In the sender's address or name. */
	readonly from?: string | undefined;
	/** In the address of a recipient of the envelope, or in a name or an address of the `To` field. */
	readonly to?: string | undefined;
	/** Whether it came over TLS. */
	readonly tls?: boolean | undefined;
	/** Who logged in to send it, exactly as the client said it. */
	readonly smtp_user?: string | undefined;
	/** In the text or the HTML. */
	readonly contains?: string | undefined;
	/** Each `Name: value`, in a header field of that name. */
	readonly header?: readonly string[] | undefined;
	/** Each of them. */
	readonly has?: readonly FindingName[] | undefined;
	/** Each in the address or the text of a link. */
	readonly link?: readonly string[] | undefined;
	/**
	 * How all other texts but `q` and `smtp_user` are read: as substrings without case (`text`, unless given), with `/regex/flags` as a regular
	 * expression (`pattern`; RE2 syntax; flags i, m, s, u), or as whole values (`exact`; `contains` and `link` excepted).
	 */
	readonly match?: Match | undefined;
	/** Only messages newer than the one with this id, or received at this time (ISO 8601; of a date, 0:00 UTC) or later. */
	readonly after?: string | undefined;
};

/** What rows of a list can have in place of all. */
export const rowFields = ['summary', 'envelope'] as const;

export type RowFields = (typeof rowFields)[number];

export type ListMessages = MessageFilter &
	Partial<Page> & {
		/** Only messages older than the one with this id, which need not be there any more: what follows on the last row of a list. */
		readonly before?: string | undefined;
		/** Rows are `MessageSummaryBody`, or `MessageEnvelopeBody`, for which no mail is read. */
		readonly fields?: RowFields | undefined;
		/** Whole seconds, at most `maxWait`, to wait for a first match. */
		readonly wait?: number | undefined;
	};

export type AttachmentBody = {
	readonly id: string;
	readonly filename: string;
	readonly content_type: string;
	readonly size: number;
	readonly content_id: string | null;
	readonly disposition: string | null;
};

/** An address in a header field; the name is null when the field has none beside it. */
export type MailboxBody = {readonly name: string | null; readonly address: string};

/** What the sender wants to be told of the delivery (RFC 3461), decoded; what it did not say is absent. */
export type DsnBody = {
	/** How much of the mail a notification is to hold. */
	readonly ret?: 'FULL' | 'HDRS';
	/** How the sender calls this transaction. */
	readonly envid?: string;
	/** By the address as in the envelope; of those alone for whom something was said. */
	readonly recipients?: Readonly<Record<string, {readonly notify?: readonly string[]; readonly orcpt?: string}>>;
};

/** Who sent it and for whom, as said in MAIL FROM and RCPT TO (RFC 5321, section 3.3). */
export type EnvelopeBody = {
	readonly from: string;
	readonly to: readonly string[];
	/** Absent when the client said nothing of the kind. */
	readonly dsn?: DsnBody;
};

/** A row of the list: a whole message, without its headers. */
export type MessageBody = {
	readonly id: string;
	readonly inbox_id: string;
	/** The address of the author, else that of the envelope. */
	readonly from: string;
	/** The name of the author; null when the mail says none. */
	readonly from_name: string | null;
	/** The recipient of the envelope that led to the inbox. */
	readonly to: string;
	readonly cc: readonly string[];
	readonly reply_to: readonly string[];
	/** Whom the header names. `to` is empty for messages that were stored before it was kept. */
	readonly recipients: Readonly<Record<'to' | 'cc' | 'reply_to', readonly MailboxBody[]>>;
	/** When the mail says it was written (ISO 8601); null when it does not say so, or says it wrong. */
	readonly date: string | null;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	readonly size: number;
	readonly attachments: readonly AttachmentBody[];
	/** One-time codes, the best candidate first. */
	readonly codes: readonly string[];
	/** Links to click, the best candidate first, with the text they stand behind. */
	readonly links: ReadonlyArray<{readonly url: string; readonly text: string}>;
	readonly message_id: string;
	readonly envelope: EnvelopeBody;
	/** Null for messages that were imported, that the daemon itself made, as bounces, or that were stored before it was kept. */
	readonly session: SessionBody | null;
	/** What could not be read of a damaged mail, in sentences. */
	readonly warnings: readonly string[];
	readonly received_at: string;
};

export const messageFields = fieldsOf<MessageBody>()(
	'id inbox_id from from_name to cc reply_to recipients date subject text html size attachments codes links message_id envelope session warnings received_at',
);

/** What a list shows of a message. */
export type MessageSummaryBody = Pick<
	MessageBody,
	'id' | 'inbox_id' | 'from' | 'from_name' | 'to' | 'subject' | 'size' | 'received_at'
>;

/** The same, and who sent it and for whom. */
export type MessageEnvelopeBody = MessageSummaryBody & Pick<MessageBody, 'envelope'>;

/** The envelope of mail that is imported; what is not given is as its header says. */
export type ImportMail = {readonly from?: string | undefined; readonly to?: readonly string[] | undefined};

/** Mails that are taken in, or read, by one call at most, and their bytes. */
export const maxTogether = {mails: 100, bytes: 256 * 1024} as const;

/** Mails to take in together, each in base64. */
export type ImportMails = ImportMail & {readonly sources: readonly string[]};

/** The bytes of a message, in base64. */
export type MessageSourceBody = {readonly id: string; readonly source: string};

/** What would be kept of a mail that is imported, and what is wrong with it. */
export type ImportCheckBody = Pick<
	MessageBody,
	'from' | 'from_name' | 'to' | 'subject' | 'date' | 'message_id' | 'size' | 'envelope' | 'warnings'
>;

/** A message that does not satisfy a filter, and why: a sentence for each thing that is wrong. */
export type MissBody = {readonly message: MessageSummaryBody; readonly reasons: readonly string[]};

/** For the caller: what came and does not fit, what was refused, and what faults did, the newest first. */
export type MissesBody = RefusalListBody & {
	readonly misses: readonly MissBody[];
	readonly hits: readonly FaultHitBody[];
	/** How many messages the inbox evicted since its `evicted` was what was asked with (`evicted_after`), or ever. */
	readonly evicted: number;
};

/** Where a browser finds one message, until the link expires; whoever has the link can read the message. */
export type PreviewBody = {readonly url: string; readonly expires_at: string};

/** The single read. */
export type FullMessageBody = MessageBody & {
	readonly headers: ReadonlyArray<{readonly name: string; readonly value: string}>;
};

export const fullMessageFields = [...messageFields, ...fieldsOf<Omit<FullMessageBody, keyof MessageBody>>()('headers')];

/** The request of a sending API that brought a message. */
export type MessageRequestBody = {
	/** Such as `resend`. */
	readonly provider: string;
	readonly method: string;
	/** With its query. */
	readonly path: string;
	/** By their lower-case names, without keys and signatures. */
	readonly headers: Readonly<Record<string, string>>;
	/** Null when it is not kept: it is much longer than its mails, or these went to inboxes that not the same people see. */
	readonly body: string | null;
	/** Of the body: it is no text in UTF-8. */
	readonly encoding?: 'base64';
	/** Bytes of the body as it came. */
	readonly size: number;
	/** What a template is to be filled with; null for none. */
	readonly data: Readonly<Record<string, unknown>> | null;
};
