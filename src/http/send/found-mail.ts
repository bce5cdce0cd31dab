import {type Mailbox, readMailbox} from '../../domain/mail/message.js';
import {formatAddress} from '../../send/named-address.js';
import type {FoundMail} from '../../send/provider.js';
import type {ReadMessage} from '../../services/messages/contents.js';

/** A mail as a provider shows what was sent by it. */
export function foundMail(id: string, {message, content}: ReadMessage): FoundMail {
	const {summary, envelope, receivedAt, session} = message;
	const {from, fromName = ''} = summary;
	const named = new Set([...summary.to, ...summary.cc].map(mailbox => readMailbox(mailbox).address.toLowerCase()));
	return {
		id,
		messageId: `<${summary.messageId}>`,
		createdAt: receivedAt,
		from: formatAddress({name: fromName, address: from}),
		to: summary.to.map(format),
		cc: summary.cc.map(format),
		bcc: envelope.to.filter(address => !named.has(address.toLowerCase())),
		replyTo: summary.replyTo.map(format),
		subject: summary.subject,
		html: content.html || null,
		text: content.text || null,
		tags: session?.request?.tags ?? [],
	};
}

function format(mailbox: Mailbox): string {
	const {name, address} = readMailbox(mailbox);
	return formatAddress({name: name ?? '', address});
}
