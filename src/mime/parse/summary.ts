import {domainToUnicode} from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import {type Mailbox, readMailbox, type Summary, sizeOfMailbox} from '../../domain/mail/message.js';
import {type Decode, type DecodeText, decodeByNode, hasUnknownCharacters} from './charsets.js';
import {decodeWords, isDecodedByNode} from './encoded-words.js';
import {commentsIn, headOf, textOfField} from './header-section.js';

const names = ['from', 'to', 'cc', 'reply-to', 'subject', 'message-id', 'date'] as const;

type Name = (typeof names)[number];

/** Field of a summary with its folds. White space before the first field is ignored. Linear: it looks at no part twice. */
const wantedField = new RegExp(`(?:^[ \\t]*|(?<=\\n))(${names.join('|')})[ \\t]*:([^\\n]*(?:\\n[ \\t][^\\n]*)*)`, 'gi');

/** Maximum cost of fields that are parsed on the calling thread: about 1 ms in the worst case. */
const maxCheapCost = 2048;

/** Cost of a field besides its characters. */
const fieldCost = 16;

/**
 * Maximum lengths in a summary, which stays in memory: subject (longer than in webhooks, which say that they truncate it),
 * message id, author, and all other mailboxes together.
 */
const kept = {subject: 2048, messageId: 1000, author: 2000, others: 32 * 1024};

/** Maximum number of mailboxes per field, and of characters that are parsed for them. */
const maxMailboxes = 1000;
const maxListLength = 64 * 1024;

/** Usual form of a mailbox (RFC 5322, section 3.4): perhaps a name, with or without quotes, and the address. */
const plainMailbox = /^(?:("?)([\w-]+\.?(?: [\w-]+\.?)*)\1 <([\w.+-]+@[\w.-]+)>|([\w.+-]+@[\w.-]+))$/;

type MailboxList = {readonly mailboxes: readonly Mailbox[]; readonly isCut: boolean};

/** Remaining number of characters. */
type Budget = {remaining: number};

/**
 * Returns the summary of a mail; undefined if it may take longer than a millisecond, as long address lists and nested
 * groups do, or if Node.js does not know a character set in it.
 */
export function cheapSummary(mail: Buffer): Summary | undefined {
	const fields = new Map<Name, string>();
	let cost = 0;
	for (const {name, value} of wantedFields(mail)) {
		// Each group (RFC 5322, section 3.4) is parsed on its own, and so are the groups in it.
		cost += fieldCost + value.length * value.split(':').length;
		if (cost > maxCheapCost || !isDecodedByNode(value)) {
			return undefined;
		}

		keepFirst(fields, name, value);
	}

	let isBeyondNode = false;
	const decodeText: DecodeText = (bytes, charset) => {
		const text = decodeByNode(bytes, charset);
		isBeyondNode ||= hasUnknownCharacters(text);
		return text;
	};
	const summary = summaryOf(fields, decodeText, () => {
		isBeyondNode = true;
		return '';
	});
	return isBeyondNode ? undefined : summary;
}

/** Returns the summary of a mail, however long it takes. */
export function anySummary(mail: Buffer, decodeText: DecodeText, decodeRaw: Decode): Summary {
	const fields = new Map<Name, string>();
	for (const {name, value} of wantedFields(mail)) {
		keepFirst(fields, name, value);
	}

	return summaryOf(fields, decodeText, decodeRaw);
}

/** Keeps the first of repeated fields. */
function keepFirst(fields: Map<Name, string>, name: Name, value: string): void {
	if (!fields.has(name)) {
		fields.set(name, value);
	}
}

function* wantedFields(mail: Buffer): Generator<{readonly name: Name; readonly value: string}> {
	for (const [, name = '', value = ''] of headOf(mail).toString('latin1').matchAll(wantedField)) {
		yield {name: name.toLowerCase() as Name, value};
	}
}

function summaryOf(fields: ReadonlyMap<Name, string>, decodeText: DecodeText, decodeRaw: Decode): Summary {
	const text = (name: Name) => textOfField(fields.get(name) ?? '', decodeRaw);
	const limits = {isCut: false};
	const list = (name: Name, budget: Budget) => {
		if (!fields.has(name)) {
			return [];
		}

		const read = mailboxesIn(text(name), decodeText, budget);
		limits.isCut ||= read.isCut;
		return read.mailboxes;
	};
	const beginning = (whole: string, length: number) => {
		limits.isCut ||= whole.length > length;
		// Not within a surrogate pair.
		return whole.length > length ? whole.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') : whole;
	};
	const author = readMailbox(list('from', {remaining: kept.author})[0] ?? '');
	const others = {remaining: kept.others};
	const date = readDate(text('date'));
	return {
		from: author.address,
		...(author.name !== null && {fromName: author.name}),
		to: list('to', others),
		cc: list('cc', others),
		replyTo: list('reply-to', others),
		subject: beginning(decodeWords(text('subject'), decodeText), kept.subject),
		messageId: beginning(decodeWords(text('message-id'), decodeText).replace(/^<|>$/g, ''), kept.messageId),
		...(date !== undefined && {date}),
		...(limits.isCut && {isCut: true}),
	};
}

/** Returns the first mailboxes of a field as long as the limits allow, including those in groups. */
function mailboxesIn(text: string, decodeText: DecodeText, budget: Budget): MailboxList {
	const parsed = parseMailboxes(text.slice(0, maxListLength));
	const isWhole = text.length <= maxListLength;
	const mailboxes: Mailbox[] = [];
	// The last one may be truncated.
	for (const mailbox of isWhole ? parsed : parsed.slice(0, -1)) {
		for (const one of mailboxesOf(mailbox, decodeText)) {
			budget.remaining -= sizeOfMailbox(one);
			if (budget.remaining < 0 || mailboxes.length === maxMailboxes) {
				return {mailboxes, isCut: true};
			}

			mailboxes.push(one);
		}
	}

	return {mailboxes, isCut: !isWhole};
}

/** Parses mailboxes. The library takes thirty times as long for a plain mailbox, which most fields have. */
function parseMailboxes(text: string): readonly ParsedMailbox[] {
	const [, , name = '', address, alone = address] = plainMailbox.exec(text) ?? [];
	return alone === undefined ? addressparser(withClosedQuotes(text), {flatten: true}) : [{address: alone, name}];
}

/** Removes an unbalanced last quotation mark: otherwise all text after it would be a name. */
function withClosedQuotes(text: string): string {
	const marks = [...text.matchAll(/\\.|"/gs)].filter(([mark]) => mark === '"');
	const last = marks.length % 2 === 0 ? undefined : marks.at(-1)?.index;
	return last === undefined ? text : text.slice(0, last) + text.slice(last + 1);
}

type ParsedMailbox = {readonly address?: string; readonly name: string};

/** Decodes a mailbox. Some senders encode the whole mailbox, which RFC 2047, section 5, forbids, and some its address. */
function mailboxesOf(mailbox: ParsedMailbox, decodeText: DecodeText): Mailbox[] {
	const isEncoded = !mailbox.address && mailbox.name.startsWith('=?') && mailbox.name.endsWith('?=');
	const found: readonly ParsedMailbox[] = isEncoded
		? addressparser(decodeWords(mailbox.name, decodeText), {flatten: true})
		: [mailbox];
	const mailboxes: Mailbox[] = [];
	for (const {address = '', name} of found) {
		const readable = readableAddress(address, decodeText);
		const shown = decodeWords(name, decodeText).trim();
		if (readable !== '') {
			mailboxes.push(shown === '' ? readable : [readable, shown]);
		}
	}

	return mailboxes;
}

function readableAddress(address: string, decodeText: DecodeText): string {
	const decoded = decodeWords(address, decodeText);
	if (decoded !== address) {
		return /^[^\s@]+@[^\s@]+$/.test(decoded) ? decoded : '';
	}

	const at = address.lastIndexOf('@') + 1;
	return address.includes('@xn--')
		? address.slice(0, at) + (domainToUnicode(address.slice(at)) || address.slice(at))
		: address;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Offsets of named zones in hours (RFC 5322, section 4.3). Other names mean `-0000`. */
const zones: Readonly<Record<string, number>> = {
	edt: -4,
	est: -5,
	cdt: -5,
	cst: -6,
	mdt: -6,
	mst: -7,
	pdt: -7,
	pst: -8,
};

const minuteMs = 60_000;

/** Maximum length of a date, including comments. */
const maxLength = 1000;

/**
 * Day of the week, day, month, year, hour, minute, second and zone. Some senders omit the zone, or use the format from
 * before 2000.
 */
const dateTime =
	/^(?:[a-z]+\s*,)?\s*(\d{1,2})\s+([a-z]{3})\s+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d\d)(?:\s*:\s*(\d\d))?\s*(?:([+-])([01]\d|2[0-3])([0-5]\d)|(?![ap]m$)([a-z]{0,5}))$/i;

/** Parses a `Date` field (RFC 5322, sections 3.3 and 4.3). Returns ISO 8601 in UTC; undefined for an invalid date. */
export function readDate(text: string): string | undefined {
	const match = dateTime.exec(withoutComments(text.slice(0, maxLength)).trim());
	if (!match) {
		return undefined;
	}

	const [, day, monthName = '', digits = '', hour, minute, second = 0, sign, hours, minutes, zone = ''] = match;
	const [year, month] = [fullYear(digits), months.indexOf(monthName.toLowerCase())];
	const midnight = new Date(Date.UTC(year, month, Number(day)));
	const isDay =
		midnight.getUTCFullYear() === year && midnight.getUTCMonth() === month && midnight.getUTCDate() === Number(day);
	if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
		return undefined;
	}

	const ahead = sign
		? Number(`${sign}1`) * (60 * Number(hours) + Number(minutes))
		: 60 * (zones[zone.toLowerCase()] ?? 0);
	const minuteOfDay = 60 * Number(hour) + Number(minute) - ahead;
	return new Date(midnight.getTime() + minuteOfDay * minuteMs + Number(second) * 1000).toISOString();
}

function withoutComments(text: string): string {
	let kept = '';
	let end = 0;
	for (const [from, to] of commentsIn(text)) {
		kept += `${text.slice(end, from)} `;
		end = to;
	}

	return kept + text.slice(end);
}

/** Completes a year with two or three digits (RFC 5322, section 4.3). */
function fullYear(digits: string): number {
	const year = Number(digits);
	return digits.length === 4 ? year : year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}
