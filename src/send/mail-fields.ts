import type {NamedAddress} from './provider.js';

/** Address without quoted parts (RFC 5321, section 4.1.2; RFC 6531 for non-ASCII letters). */
const addressPattern = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u;

/** Maximum length of local part, `@` and domain (RFC 5321, section 4.5.3.1). */
const maxAddressLength = 64 + 1 + 255;

/** Maximum length of a mailbox with its name. */
const maxMailboxLength = 2000;

/** Reads a mailbox, `ann@example.com` or `Ann <ann@example.com>`; undefined if the text is no mailbox or several. */
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

/** True for an address such as `ann@example.com`. */
export function isAddress(text: string): boolean {
	return text.length <= maxAddressLength && addressPattern.test(text);
}

function readName(text: string): string | undefined {
	const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/su.exec(text) ?? [];
	const name = quoted === undefined ? text : quoted.replace(/\\(.)/gsu, '$1');
	const isBroken = /\p{Cc}/u.test(name) || (quoted === undefined && /^"|[<>]/.test(name));
	return isBroken ? undefined : name;
}

/** Splits a list of mailboxes at its commas, except those in quotes. */
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

/** Formats mailboxes for a header (RFC 5322, section 3.4), without encoding. */
export function formatAddresses(mailboxes: readonly NamedAddress[]): string {
	return mailboxes.map(formatAddress).join(', ');
}

/** Formats a mailbox for a header. */
export function formatAddress({name, address}: NamedAddress): string {
	if (name === '') {
		return address;
	}

	return /[()<>[\]:;@\\,."]|^\s|\s$/.test(name)
		? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
		: `${name} <${address}>`;
}

/** Headers that other fields of a request set. */
const setByFields: ReadonlySet<string> = new Set([
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

/** True for a header that a sender cannot add: other fields set it, or it describes the MIME structure. */
export function isTakenHeader(name: string): boolean {
	return setByFields.has(name.toLowerCase()) || /^content-/i.test(name);
}

/** True for a valid header on one line (RFC 5322, section 2.2). A second line could inject other headers. */
export function isHeader(name: string, value: string): boolean {
	return /^[!-9;-~]{1,998}$/.test(name) && !/[\r\n\0]/.test(value);
}
