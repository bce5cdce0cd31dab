import type {MailboxBody, MessageBody} from './messages.js';

/**
 * Sender and recipients of a message, to show to people: To and Cc from the header, and envelope recipients that the header does not
 * name. Empty fields are left out.
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
