import type {DsnBody, EnvelopeBody, SessionBody} from '../../contract/messages.js';
import type {Link} from '../extract/links.js';

/** Who sent it and for whom. */
export type Envelope = EnvelopeBody;

/** What a client wants to be told of the delivery. */
export type Dsn = DsnBody;

/** How a mail came. */
export type Session = SessionBody;

/** An address in a header section, with the name beside it if it has one: there are very many, and most have none. */
export type Mailbox = string | readonly [address: string, name: string];

/** What lists, filters and webhooks need of the header section (RFC 5322, section 3.6). Absent fields are `""` or `[]`. */
export type Summary = {
	/** The address of the first author. */
	readonly from: string;
	/** The name beside it, if there is one. */
	readonly fromName?: string;
	readonly to: readonly Mailbox[];
	readonly cc: readonly Mailbox[];
	readonly replyTo: readonly Mailbox[];
	readonly subject: string;
	/** Without the angle brackets. */
	readonly messageId: string;
	/** When the mail says it was written: ISO 8601, UTC. Absent when it does not say so, or says it wrong. */
	readonly date?: string;
	/** A field is so long, or has so many mailboxes, that only its beginning is here. */
	readonly isCut?: true;
	/** The header section took too long to read: all of the above is empty. */
	readonly isUnread?: true;
};

/** Of a header section that took too long to read. */
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
	/** The stored bytes; messages of one mail to several inboxes share them. */
	readonly sourceId: string;
	/** Bytes of the mail. */
	readonly size: number;
	readonly envelope: Envelope;
	/** Null when it was imported, came from the daemon itself, or was stored before this was kept. */
	readonly session: Session | null;
	/** The envelope recipient that led to this inbox. */
	readonly to: string;
	readonly receivedAt: string;
	readonly summary: Summary;
	/** Of one that came with others, or by a sending API; the source of any other is the mail. */
	readonly part?: SourcePart;
};

/**
 * Where a mail is in a source that has all mails of a request, counted from 0: each with what the request says of it alone (one
 * value, as JSON) right behind it. The request itself, its head in a line of JSON, is behind all of them, unless they were imported.
 */
export type SourcePart = {readonly start: number; readonly end: number; readonly requestAt: number};

/** Bytes of a source; the last one is included. */
type SourceRange = {readonly start: number; readonly end: number};

/** The bytes of the mail in its source, or some of them. */
export function rangeOf(
	{size, part}: Pick<Message, 'size' | 'part'>,
	{start, end}: SourceRange = {start: 0, end: size - 1},
): SourceRange {
	const first = part?.start ?? 0;
	return {start: first + start, end: first + Math.min(end, size - 1)};
}

/** The sender as shown: the header's author, else the envelope's. */
export function senderOf({
	summary,
	envelope,
}: {
	readonly summary: Pick<Summary, 'from'>;
	readonly envelope: Pick<Envelope, 'from'>;
}): string {
	return summary.from || envelope.from;
}

/** Both parts of a mailbox; the name is null when it has none. */
export function readMailbox(mailbox: Mailbox): {readonly name: string | null; readonly address: string} {
	return typeof mailbox === 'string' ? {name: null, address: mailbox} : {name: mailbox[1], address: mailbox[0]};
}

/** Characters that a mailbox takes in memory, about; one without any takes room, too. */
export function sizeOfMailbox(mailbox: Mailbox): number {
	const {name, address} = readMailbox(mailbox);
	return 16 + address.length + (name?.length ?? 0);
}

/**
 * How many messages one counts as, since summaries, envelopes and sessions stay in memory: one, or one for each 512
 * characters when they are longer than most.
 */
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

/** Characters that are as a client chose them. */
function sizeOfSession(session: Session | null): number {
	const {tls, auth, client, request} = session ?? {};
	const texts = [tls?.servername, tls?.client, auth?.user, client?.helo, request && JSON.stringify(request)];
	return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** A decoded header field in the order of the mail. */
export type HeaderField = {readonly name: string; readonly value: string};

export type Attachment = {
	/** Its place in the mail, counted from 1; stable, since the source never changes. */
	readonly id: string;
	/** As the mail says it: never a path to write to. `""` when it says none. */
	readonly filename: string;
	readonly contentType: string;
	/** Bytes after decoding. */
	readonly size: number;
	/** Without the angle brackets; null when it has none. */
	readonly contentId: string | null;
	readonly disposition: string | null;
};

/** What parsing the whole source finds. */
export type Content = {
	readonly headers: readonly HeaderField[];
	/** What the mail says in plain words: its texts, those that are HTML turned into text; of alternatives the plain one. */
	readonly text: string;
	readonly html: string;
	readonly attachments: readonly Attachment[];
	/** What a reader of the mail would type somewhere, the best candidate first. */
	readonly codes: readonly string[];
	/** What a reader of the mail would click, the best candidate first. */
	readonly links: readonly Link[];
	/** Sentences about what could not be read, and why; empty for a mail in order. */
	readonly warnings: readonly string[];
};

/** What was wrong with a mail, in sentences, for whoever wrote what sent it. */
export function warningsOf({summary, session}: Message, {warnings}: Content): readonly string[] {
	return [
		...(summary.isUnread ? ['Parsing the header section timed out. The sender is the envelope sender.'] : []),
		...(summary.isCut ? ['A header field is too long or has too many addresses. Only its beginning is listed.'] : []),
		...warnings,
		...(session?.request?.warnings ?? []),
	];
}
