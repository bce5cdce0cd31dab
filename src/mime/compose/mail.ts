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
