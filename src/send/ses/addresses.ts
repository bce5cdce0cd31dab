import addressparser from 'nodemailer/lib/addressparser';
import {decodeByNode} from '../../mime/parse/charsets.js';
import {decodeWords} from '../../mime/parse/encoded-words.js';
import type {NamedAddress} from '../provider.js';
import {SesProblem} from './errors.js';
import type {SesDestination} from './schemas.js';

const maxRecipients = 50;

/** Maximum length of a mailbox with its name. */
const maxMailboxLength = 2000;

/** Recipients of a mail by field. */
export type Destination = {
	readonly to: readonly NamedAddress[];
	readonly cc: readonly NamedAddress[];
	readonly bcc: readonly NamedAddress[];
};

/** Reads one address of a request, with or without a name. */
export function readAddress(text: string): NamedAddress {
	const mailbox = text.slice(0, maxMailboxLength).trim();
	const [beforeComma] = /^(?:[^",]|"(?:[^"\\]|\\.)*")*(?=,)/s.exec(mailbox) ?? [];
	if (beforeComma !== undefined) {
		// Probably a name with a comma that is not quoted.
		checkAddress(beforeComma.trim());
	}

	if (mailbox === '' || beforeComma !== undefined || text.length > maxMailboxLength) {
		throw new SesProblem('invalid', 'Illegal address');
	}

	const {name, address} = splitMailbox(mailbox);
	checkAddress(address);
	return {name: readName(name), address};
}

/** Splits a mailbox into name and address without checking them. */
function splitMailbox(mailbox: string): NamedAddress {
	if (mailbox.endsWith('>')) {
		const open = mailbox.lastIndexOf('<');
		const phrase = mailbox.slice(0, Math.max(open, 0)).trim();
		const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(phrase) ?? [];
		return {name: quoted?.replace(/\\(.)/gs, '$1') ?? phrase, address: mailbox.slice(open + 1, -1).trim()};
	}

	// Old syntax with the name in a comment: `ann@example.com (Ann)`.
	const [{name = '', address = ''} = {}] = mailbox.includes('(') ? addressparser(mailbox, {flatten: true}) : [];
	return address === '' ? {name: '', address: mailbox} : {name, address};
}

/** Reads the addresses of a header field, including those in groups. */
export function readAddressField(text: string): NamedAddress[] {
	if (text.length > maxMailboxLength * maxRecipients) {
		throw tooMany();
	}

	return addressparser(text, {flatten: true})
		.filter(({address}) => address !== '')
		.map(({name, address}) => {
			checkAddress(address);
			return {name: readName(name), address};
		});
}

export function readDestination(destination: SesDestination | undefined): Destination {
	const {ToAddresses: to = [], CcAddresses: cc = [], BccAddresses: bcc = []} = destination ?? {};
	return {to: to.map(readAddress), cc: cc.map(readAddress), bcc: bcc.map(readAddress)};
}

/** Unique recipient addresses. Throws if there are none or too many. */
export function recipientsOf({to, cc, bcc}: Destination): string[] {
	const all = [...to, ...cc, ...bcc];
	if (all.length === 0) {
		throw new SesProblem('invalid', "Missing required header 'To'.");
	}

	if (all.length > maxRecipients) {
		throw tooMany();
	}

	return [...new Set(all.map(({address}) => address))];
}

function tooMany(): SesProblem {
	return new SesProblem('invalid', `Recipient count exceeds ${maxRecipients}.`);
}

/** Decodes the encoded words of a name (RFC 2047) and joins its lines. */
function readName(text: string): string {
	return decodeWords(text, decodeByNode)
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
}

/** Throws the error of SES for an invalid address. SES does not support SMTPUTF8: addresses are ASCII. */
function checkAddress(address: string): void {
	const [quoted] = /^"(?:[^"\\]|\\.)*"(?=@)/s.exec(address) ?? [];
	const at = quoted?.length ?? address.indexOf('@');
	const localPart = at < 0 ? address : address.slice(0, at);
	const problem =
		(quoted === undefined ? localPartProblem(localPart) : undefined) ??
		(at < 0 ? "Missing final '@domain'" : domainProblem(address.slice(at + 1)));
	if (problem !== undefined) {
		throw new SesProblem('invalid', problem);
	}
}

function localPartProblem(localPart: string): string | undefined {
	return (
		(localPart === '' ? 'Missing local name' : undefined) ??
		commonProblem('Local address', localPart, /[()<>,;:\\"[\]]/)
	);
}

function domainProblem(domain: string): string | undefined {
	if (/^\[[\da-f:.]+\]$/i.test(domain)) {
		return undefined;
	}

	return (domain === '' ? 'Missing domain' : undefined) ?? commonProblem('Domain', domain, /[^a-z\d.-]/i);
}

function commonProblem(what: string, text: string, illegal: RegExp): string | undefined {
	if (/[^\x21-\x7e]/.test(text)) {
		return `${what} contains control or whitespace`;
	}

	if (illegal.test(text)) {
		return `${what} contains illegal character`;
	}

	if (text.startsWith('.')) {
		return `${what} starts with dot`;
	}

	if (text.endsWith('.')) {
		return `${what} ends with dot`;
	}

	return text.includes('..') ? `${what} contains dot-dot` : undefined;
}
