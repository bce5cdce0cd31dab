import type {NamedAddress} from './provider.js';

/** What an address cannot have where no part of it is in quotes (RFC 5321, section 4.1.2; RFC 6531 for other letters). */
const addressPattern = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u;

/** Of a local part and a domain (RFC 5321, section 4.5.3.1). */
const maxAddressLength = 64 + 1 + 255;

/** What is longer is no mailbox that a header could have. */
const maxMailboxLength = 2000;

/** A mailbox as APIs write it, `ann@example.com` or `Ann <ann@example.com>`; undefined where it is none, or several. */
export function readNamedAddress(text: string): NamedAddress | undefined {
	const mailbox = text.trim();
	if (mailbox.length > maxMailboxLength) {
		return undefined;
	}

	const open = mailbox.endsWith('>') ? mailbox.lastIndexOf('<') : -1;
	const name = open < 0 ? '' : readName(mailbox.slice(0, open).trim());
	const address = open < 0 ? mailbox : mailbox.slice(open + 1, -1).trim();
	return name !== undefined && isAddress(address) ? {name, address} : undefined;
}

/** Whether a text is an address, as `ann@example.com`. */
export function isAddress(text: string): boolean {
	return text.length <= maxAddressLength && addressPattern.test(text);
}

function readName(text: string): string | undefined {
	const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/su.exec(text) ?? [];
	const name = quoted === undefined ? text : quoted.replace(/\\(.)/gsu, '$1');
	const isBroken = /\p{Cc}/u.test(name) || (quoted === undefined && /^"|[<>]/.test(name));
	return isBroken ? undefined : name;
}

/** The texts between the commas of a list of mailboxes; those in quotes are none. */
export function splitAddresses(list: string): readonly string[] {
	const texts: string[] = [];
	let start = 0;
	let isQuoted = false;
	for (let at = 0; at < list.length; at += 1) {
		const character = list[at];
		if (character === '"') {
			isQuoted = !isQuoted;
		} else if (character === '\\' && isQuoted) {
			at += 1;
		} else if (character === ',' && !isQuoted) {
			texts.push(list.slice(start, at));
			start = at + 1;
		}
	}

	return [...texts, list.slice(start)].map(text => text.trim()).filter(text => text !== '');
}

/** Mailboxes as a header has them (RFC 5322, section 3.4), without encoding. */
export function formatAddresses(mailboxes: readonly NamedAddress[]): string {
	return mailboxes.map(formatAddress).join(', ');
}

export function formatAddress({name, address}: NamedAddress): string {
	if (name === '') {
		return address;
	}

	return /[()<>[\]:;@\\,."]|^\s|\s$/.test(name)
		? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
		: `${name} <${address}>`;
}

/** Headers that a mail has from other fields of a request. */
const taken: ReadonlySet<string> = new Set([
	'bcc',
	'cc',
	'date',
	'from',
	'message-id',
	'mime-version',
	'reply-to',
	'subject',
	'to',
]);

/** Whether a header is none that a sender adds: another field says it, or it says how the parts of the mail are written. */
export function isTakenHeader(name: string): boolean {
	return taken.has(name.toLowerCase()) || /^content-/i.test(name);
}

/** Whether this can be a header (RFC 5322, section 2.2): in one line, since the rest would be other headers. */
export function isHeader(name: string, value: string): boolean {
	return /^[!-9;-~]{1,998}$/.test(name) && !/[\r\n\0]/.test(value);
}
