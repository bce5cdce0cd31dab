import type {MailboxBody, MessageBody} from './messages.js';

/**
 * From whom a message is and for whom, for people: To and Cc as the header has them, and those recipients of
 * the envelope that they do not name. Empty fields are left out.
 */
export function addressFields({
	from,
	from_name: name,
	to,
	envelope,
	recipients,
}: Pick<MessageBody, 'from' | 'from_name' | 'to' | 'envelope' | 'recipients'>): ReadonlyArray<
	readonly [label: string, mailboxes: readonly MailboxBody[]]
> {
	const named = new Set([...recipients.to, ...recipients.cc].map(({address}) => address.toLowerCase()));
	const others = [...new Set([to, ...envelope.to])].filter(address => !named.has(address.toLowerCase()));
	const fields = [
		['From', [{name, address: from}]],
		['To', recipients.to],
		['Cc', recipients.cc],
		['Recipient', others.map(address => ({name: null, address}))],
	] as const;
	return fields.filter(([, mailboxes]) => mailboxes.length > 0);
}
