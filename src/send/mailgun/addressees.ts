import {decodeByNode} from '../../mime/parse/charsets.js';
import {decodeWords} from '../../mime/parse/encoded-words.js';
import {readNamedAddress, splitAddresses} from '../named-address.js';
import type {NamedAddress} from '../provider.js';
import {mailgunError} from './errors.js';
import type {FormFields} from './form-fields.js';

const maxRecipients = 1000;

/** Whom a request names, each once. */
export type Addressees = Readonly<Record<'to' | 'cc' | 'bcc', readonly NamedAddress[]>>;

/** Throws unless somebody is named, and not too many are. */
export function readAddressees(form: FormFields): Addressees {
	const seen = new Set<string>();
	const [to = [], cc = [], bcc = []] = ['to', 'cc', 'bcc'].map(field =>
		mailboxesIn(form, field).filter(({address}) => {
			const isNew = !seen.has(address.toLowerCase());
			seen.add(address.toLowerCase());
			return isNew;
		}),
	);
	if (to.length === 0) {
		throw mailgunError('to parameter is missing');
	}

	if (seen.size > maxRecipients) {
		throw mailgunError(`Too many recipients; max is ${maxRecipients}`);
	}

	return {to, cc, bcc};
}

/** The mailboxes in a field. Throws where there is something else. */
export function mailboxesIn(form: FormFields, field: string): readonly NamedAddress[] {
	return form
		.texts(field)
		.flatMap(splitAddresses)
		.map(text => {
			const mailbox = readNamedAddress(text);
			if (!mailbox) {
				throw mailgunError(`${field} parameter is not a valid address. please check documentation`);
			}

			// Some clients write names as a header has them.
			return {...mailbox, name: decodeWords(mailbox.name, decodeByNode)};
		});
}
