import type {DsnBody, EnvelopeBody, SessionBody} from '../../contract/messages.js';
import type {Link} from '../extract/links.js';

/** SMTP envelope. */
export type Envelope = EnvelopeBody;

/** Delivery status notifications that the client requested. */
export type Dsn = DsnBody;

/** SMTP session or API request in which a mail was received. */
export type Session = SessionBody;

/** Mailbox of a header field: an address, with a name only if there is one, because most have none and all are kept in memory. */
export type Mailbox = string | readonly [address: string, name: string];

/** Header fields that lists, filters and webhooks need (RFC 5322, section 3.6). Missing ones are `""` or `[]`. */
export type Summary = {
	/** Address of the first author. */
	readonly from: string;
	/** Name of the first author. */
	readonly fromName?: string;
	readonly to: readonly Mailbox[];
	readonly cc: readonly Mailbox[];
	readonly replyTo: readonly Mailbox[];
	readonly subject: string;
	/** Without angle brackets. */
	readonly messageId: string;
	/** Date header in ISO 8601, UTC. Absent if missing or invalid. */
	readonly date?: string;
	/** True if a field was truncated, because it is too long or has too many mailboxes. */
	readonly isCut?: true;
	/** True if parsing the header section timed out: all fields are empty then. */
	readonly isUnread?: true;
};

/** Summary of a header section whose parsing timed out. */
export const unreadSummary: Summary = {
	from: '',
	to: [],
	cc: [],
	replyTo: [],
	subject: '',
	messageId: '',
	isUnread: true,
};

export type Message = {
	readonly id: string;
	readonly inboxId: string;
	/** Id of the stored source, which messages of one mail to several inboxes share. */
	readonly sourceId: string;
	/** Size of the mail in bytes. */
	readonly size: number;
	readonly envelope: Envelope;
	/** Null if the message was imported, or comes from the daemon itself. */
	readonly session: Session | null;
	/** Envelope recipient that belongs to this inbox. */
	readonly to: string;
	readonly receivedAt: string;
	readonly summary: Summary;
	/** Position in a source with several mails or a sending request. Absent if the source is the mail. */
	readonly part?: SourcePart;
};

/**
 * Position of a mail in a source that holds all mails of a request; offsets start at 0. Directly after each mail is a JSON
 * value with the facts of the request about this mail. After all of them is the request itself (not for imports), its head
 * as a line of JSON.
 */
export type SourcePart = {readonly start: number; readonly end: number; readonly requestAt: number};

/** Byte range, including both ends. */
type SourceRange = {readonly start: number; readonly end: number};

/** Returns the byte range of a mail, or of a part of it, in its source. */
export function rangeOf(
	{size, part}: Pick<Message, 'size' | 'part'>,
	{start, end}: SourceRange = {start: 0, end: size - 1},
): SourceRange {
	const first = part?.start ?? 0;
	return {start: first + start, end: first + Math.min(end, size - 1)};
}

/** Returns the sender to display: the author in the header, otherwise the envelope sender. */
export function senderOf({
	summary,
	envelope,
}: {
	readonly summary: Pick<Summary, 'from'>;
	readonly envelope: Pick<Envelope, 'from'>;
}): string {
	return summary.from || envelope.from;
}

/** Returns the parts of a mailbox; the name is null if it has none. */
export function readMailbox(mailbox: Mailbox): {readonly name: string | null; readonly address: string} {
	return typeof mailbox === 'string' ? {name: null, address: mailbox} : {name: mailbox[1], address: mailbox[0]};
}

/** Approximate size of a mailbox in memory, in characters. */
export function sizeOfMailbox(mailbox: Mailbox): number {
	const {name, address} = readMailbox(mailbox);
	return 16 + address.length + (name?.length ?? 0);
}

/** Weight of a message in message limits: 1, or 1 per 512 characters of summary, envelope and session, which stay in memory. */
export function weightOf({summary, envelope, session}: Pick<Message, 'summary' | 'envelope' | 'session'>): number {
	const {from, fromName = '', to, cc, replyTo, subject, messageId} = summary;
	let size = from.length + fromName.length + subject.length + messageId.length + sizeOfSession(session);
	size += envelope.dsn ? JSON.stringify(envelope.dsn).length : 0;
	for (const list of [to, cc, replyTo, envelope.to]) {
		for (const mailbox of list) {
			size += sizeOfMailbox(mailbox);
		}
	}

	return Math.max(1, Math.floor(size / 512));
}

/** Number of characters in the session that the client chose. */
function sizeOfSession(session: Session | null): number {
	const {tls, auth, client, request} = session ?? {};
	const texts = [tls?.servername, tls?.client, auth?.user, client?.helo, request && JSON.stringify(request)];
	return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** Decoded header field. Lists of fields keep the order of the mail. */
export type HeaderField = {readonly name: string; readonly value: string};

export type Attachment = {
	/** Position in the mail, from 1; stable, because sources never change. */
	readonly id: string;
	/** File name in the mail, `""` if missing. Untrusted: never a path to write to. */
	readonly filename: string;
	readonly contentType: string;
	/** Size after decoding, in bytes. */
	readonly size: number;
	/** Without angle brackets; null if missing. */
	readonly contentId: string | null;
	readonly disposition: string | null;
};

/** Result of parsing a whole mail. */
export type Content = {
	readonly headers: readonly HeaderField[];
	/** All texts, with HTML converted; of alternatives, the plain text. */
	readonly text: string;
	readonly html: string;
	readonly attachments: readonly Attachment[];
	/** One-time codes, best candidate first. */
	readonly codes: readonly string[];
	/** Links, best candidate first. */
	readonly links: readonly Link[];
	/** Sentences about parts that could not be parsed; empty for a valid mail. */
	readonly warnings: readonly string[];
};

/** Returns sentences about problems of a mail, for the developer of the sender. */
export function warningsOf({summary, session}: Message, {warnings}: Content): readonly string[] {
	return [
		...(summary.isUnread ? ['Parsing the header section timed out. The sender is the envelope sender.'] : []),
		...(summary.isCut ? ['A header field is too long or has too many addresses. Only its beginning is listed.'] : []),
		...warnings,
		...(session?.request?.warnings ?? []),
	];
}
