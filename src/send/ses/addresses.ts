import addressparser from 'nodemailer/lib/addressparser';
import {decodeByNode} from '../../mime/parse/charsets.js';
import {decodeWords} from '../../mime/parse/encoded-words.js';
import type {NamedAddress} from '../provider.js';
import {SesProblem} from './errors.js';
import type {SesDestination} from './schemas.js';

const maxRecipients = 50;

/** Characters of a mailbox: its name can be long, but not much longer than a line of a mail. */
const maxMailboxLength = 2000;

/** Whom a mail is for, by the fields that name them. */
export type Destination = {
	readonly to: readonly NamedAddress[];
	readonly cc: readonly NamedAddress[];
	readonly bcc: readonly NamedAddress[];
};

/** One address of a request, with a name or not. */
export function readAddress(text: string): NamedAddress {
	const mailbox = text.slice(0, maxMailboxLength).trim();
	const [beforeComma] = /^(?:[^",]|"(?:[^"\\]|\\.)*")*(?=,)/s.exec(mailbox) ?? [];
	if (beforeComma !== undefined) {
		// Often it is a name that is not in quotes.
		checkAddress(beforeComma.trim());
	}

	if (mailbox === '' || beforeComma !== undefined || text.length > maxMailboxLength) {
		throw new SesProblem('invalid', 'Illegal address');
	}

	const {name, address} = splitMailbox(mailbox);
	checkAddress(address);
	return {name: readName(name), address};
}

/** The name and the address of a mailbox, also where something is wrong with them. */
function splitMailbox(mailbox: string): NamedAddress {
	if (mailbox.endsWith('>')) {
		const open = mailbox.lastIndexOf('<');
		const phrase = mailbox.slice(0, Math.max(open, 0)).trim();
		const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(phrase) ?? [];
		return {name: quoted?.replace(/\\(.)/gs, '$1') ?? phrase, address: mailbox.slice(open + 1, -1).trim()};
	}

	// The name in a comment, as it was once written.
	const [{name = '', address = ''} = {}] = mailbox.includes('(') ? addressparser(mailbox, {flatten: true}) : [];
	return address === '' ? {name: '', address: mailbox} : {name, address};
}

/** The addresses in a field of a header section, those in groups, too. */
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

/** As many recipients as SES takes, each once. */
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

/** A name, which may have encoded words (RFC 2047), in one line. */
function readName(text: string): string {
	return decodeWords(text, decodeByNode)
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
}

/** What SES, which knows no addresses beyond ASCII (no SMTPUTF8), says of an address that it does not take. */
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
