import type {Fields} from '../fields.js';
import {readNamedAddress, splitAddresses} from '../named-address.js';
import type {NamedAddress} from '../provider.js';
import {invalidEmail} from './errors.js';

/** Of `To`, `Cc` and `Bcc` together. */
const maxRecipients = 50;

/** Postmark takes the first one of several. */
export function readSender(fields: Fields) {
	const given = splitAddresses(fields.text('From') ?? '');
	const [first] = given;
	if (first === undefined) {
		throw invalidEmail("Invalid 'From' value.");
	}

	const from = readNamedAddress(first);
	if (!from) {
		throw invalidEmail(`Invalid 'From' address: '${first.slice(0, 320)}'.`);
	}

	return {from, warnings: given.length > 1 ? ['"From" has several senders. The first one is used.'] : []};
}

export function readRecipients(fields: Fields) {
	const count = ['To', 'Cc', 'Bcc'].flatMap(name => splitAddresses(fields.text(name) ?? '')).length;
	if (count === 0) {
		throw invalidEmail('Zero recipients specified');
	}

	if (count > maxRecipients) {
		throw invalidEmail(`Maximum of ${maxRecipients} recipients allowed per email message. This one has ${count}.`);
	}

	const [to, cc, bcc] = [readMailboxes(fields, 'To'), readMailboxes(fields, 'Cc'), readMailboxes(fields, 'Bcc')];
	return {to, cc, bcc};
}

/** The mailboxes of a field, which Postmark calls by the name of the header. */
export function readMailboxes(fields: Fields, name: string, header = name): readonly NamedAddress[] {
	return splitAddresses(fields.text(name) ?? '').map(text => {
		const mailbox = readNamedAddress(text);
		if (!mailbox) {
			const shown = text.slice(0, 320);
			throw invalidEmail(
				text.includes('@')
					? `Error parsing '${header}': Illegal email address '${shown}'.`
					: `Error parsing '${header}': Illegal email address '${shown}'. It must contain the '@' symbol.`,
			);
		}

		return mailbox;
	});
}
