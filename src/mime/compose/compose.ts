import {isAscii} from 'node:buffer';
import type {ComposedContent, NamedAddress, SentAttachment} from '../../domain/mail/sending.js';

/** Composes the source of a mail. Reads no files and nothing from the network. */
export async function composeMail(content: ComposedContent): Promise<Buffer> {
	// Loaded on first use: most daemons never compose mail.
	const [{default: MailComposer}, {writeNode}] = await Promise.all([
		import('nodemailer/lib/mail-composer'),
		import('./write-node.js'),
	]);
	const {from, to, cc, replyTo, subject, text, html, amp, attachments, headers, messageId, date} = content;
	const mail = new MailComposer({
		from: mailbox(from),
		...(to.length > 0 && {to: to.map(mailbox)}),
		...(cc.length > 0 && {cc: cc.map(mailbox)}),
		...(replyTo.length > 0 && {replyTo: replyTo.map(mailbox)}),
		subject,
		...(text !== undefined && {text}),
		...(html !== undefined && {html}),
		...(amp !== undefined && {amp}),
		attachments: attachments.map(attachment),
		headers: headers.map(([key, value]) => ({key, value})),
		messageId,
		...(date && {date}),
		disableFileAccess: true,
		disableUrlAccess: true,
	});
	return writeNode(mail.compile());
}

/** Copies the mailbox: the composer modifies its input. */
function mailbox({name, address}: NamedAddress) {
	return {name, address};
}

function attachment({filename, content, contentType, contentId, disposition}: SentAttachment) {
	// The composer would treat the content of a multipart type as a preamble.
	const type = /^\s*multipart\//i.test(contentType) ? 'application/octet-stream' : contentType;
	return {
		filename: filename === '' ? false : filename,
		// Worker threads pass plain byte arrays.
		content: Buffer.from(content.buffer, content.byteOffset, content.length),
		contentDisposition: disposition,
		...(type !== '' && {contentType: type}),
		...(contentId !== '' && {cid: contentId}),
	} as const;
}

/** A part of a mail. */
export type NewPart = {
	readonly type: string;
	/** Description of the part for readers. */
	readonly description?: string;
	readonly content: string | Buffer;
};

export type NewMail = {
	readonly from: {readonly name: string; readonly address: string};
	readonly to: string;
	readonly date: Date;
	/** With its angle brackets. */
	readonly messageId: string;
	/** Header fields by name. Line breaks in values are removed. */
	readonly headers: Readonly<Record<string, string>>;
	/** Content type of the mail, if it has several parts. */
	readonly type?: string;
	readonly parts: readonly [NewPart, ...NewPart[]];
};

/** The source of a mail. */
export async function compose({from, to, date, messageId, headers, type, parts}: NewMail): Promise<Buffer> {
	// Most daemons never make a mail.
	const {default: MimeNode} = await import('nodemailer/lib/mime-node');
	const [first] = parts;
	const root = new MimeNode(type ?? first.type);
	root.setHeader({
		From: [from],
		To: [{name: '', address: to}],
		Date: date,
		'Message-ID': messageId,
		'MIME-Version': '1.0',
		...headers,
	});
	if (type === undefined) {
		root.setContent(first.content);
		return root.build();
	}

	for (const part of parts) {
		if (isEncoded(part)) {
			const child = root.createChild(part.type);
			child.setHeader({...(part.description && {'Content-Description': part.description})});
			child.setContent(part.content);
		} else {
			root.createChild().setRaw(asItIs(part));
		}
	}

	if (parts.some(part => !isEncoded(part) && !isPlain(part.content))) {
		root.setHeader('Content-Transfer-Encoding', '8bit');
	}

	return root.build();
}

/**
 * True for parts that may be encoded: those for readers. Parts for programs must not be (RFC 2045, section 6.4), or
 * usually are not.
 */
function isEncoded({type}: NewPart): boolean {
	return type.startsWith('text/plain');
}

function asItIs({type, description, content}: NewPart): Buffer {
	const head = [
		`Content-Type: ${type}`,
		...(description ? [`Content-Description: ${description}`] : []),
		`Content-Transfer-Encoding: ${isPlain(content) ? '7bit' : '8bit'}`,
	];
	return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(content)]);
}

function isPlain(content: string | Buffer): boolean {
	return isAscii(Buffer.from(content));
}
