import type {MailboxBody, MessageBody} from './messages.js';

/**
 * From whom a message is and for whom, for people: To and Cc as the header has them, and the recipient of the envelope
 * unless they name it. Empty fields are left out.
 */
export function addressFields({
	from,
	from_name: name,
	to,
	recipients,
}: Pick<MessageBody, 'from' | 'from_name' | 'to' | 'recipients'>): ReadonlyArray<
	readonly [label: string, mailboxes: readonly MailboxBody[]]
> {
	const isNamed = [...recipients.to, ...recipients.cc].some(({address}) => address.toLowerCase() === to.toLowerCase());
	const fields = [
		['From', [{name, address: from}]],
		['To', recipients.to],
		['Cc', recipients.cc],
		['Recipient', isNamed ? [] : [{name: null, address: to}]],
	] as const;
	return fields.filter(([, mailboxes]) => mailboxes.length > 0);
}
