import type {ComposedContent, NamedAddress, SentAttachment} from '../../domain/mail/sending.js';

/** The source of a mail. Nothing is read but what is given: no file, and nothing from the network. */
export async function composeMail(content: ComposedContent): Promise<Buffer> {
	// Most daemons never make a mail.
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

/** A copy: the composer rewrites what it is given. */
function mailbox({name, address}: NamedAddress) {
	return {name, address};
}

function attachment({filename, content, contentType, contentId, disposition}: SentAttachment) {
	// The composer would make parts of such a type itself, and put the content where nobody looks.
	const type = /^\s*multipart\//i.test(contentType) ? 'application/octet-stream' : contentType;
	return {
		filename: filename === '' ? false : filename,
		// From a worker thread it comes as plain bytes.
		content: Buffer.from(content.buffer, content.byteOffset, content.length),
		contentDisposition: disposition,
		...(type !== '' && {contentType: type}),
		...(contentId !== '' && {cid: contentId}),
	} as const;
}
