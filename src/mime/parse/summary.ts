import {domainToUnicode} from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import {type Mailbox, readMailbox, type Summary, sizeOfMailbox} from '../../domain/mail/message.js';
import {type Decode, type DecodeText, decodeByNode, hasUnknownCharacters} from './charsets.js';
import {decodeWords, isDecodedByNode} from './encoded-words.js';
import {commentsIn, headOf, textOfField} from './header-section.js';

const names = ['from', 'to', 'cc', 'reply-to', 'subject', 'message-id', 'date'] as const;

type Name = (typeof names)[number];

/** A wanted field with its folds; white space before the first field counts for nothing. No part of it is looked at twice. */
const wantedField = new RegExp(`(?:^[ \\t]*|(?<=\\n))(${names.join('|')})[ \\t]*:([^\\n]*(?:\\n[ \\t][^\\n]*)*)`, 'gi');

/** What the fields of a header section may cost that is read at once: its worst case takes about 1 ms. */
const maxCheapCost = 2048;

/** What a field costs on top of its characters. */
const fieldCost = 16;

/**
 * Characters that are kept, since summaries stay in memory: of the subject (more than webhooks tell, which say that they cut
 * it), of the message id, of the author, and of all other mailboxes.
 */
const kept = {subject: 2048, messageId: 1000, author: 2000, others: 32 * 1024};

/** Of one field, mailboxes that are kept, and characters that are read for them. */
const maxMailboxes = 1000;
const maxListLength = 64 * 1024;

/** One mailbox as most are written (RFC 5322, section 3.4): its name, in quotes or not, and its address. */
const plainMailbox = /^(?:("?)([\w-]+\.?(?: [\w-]+\.?)*)\1 <([\w.+-]+@[\w.-]+)>|([\w.+-]+@[\w.-]+))$/;

type MailboxList = {readonly mailboxes: readonly Mailbox[]; readonly isCut: boolean};

/** Characters that may still be kept. */
type Room = {left: number};

/**
 * The summary of the header section at the beginning of a mail; undefined when it might take longer than a millisecond to
 * make one, as lists of addresses and groups within groups do, and when Node alone cannot tell a character set in it.
 */
export function cheapSummary(mail: Buffer): Summary | undefined {
	const fields = new Map<Name, string>();
	let cost = 0;
	for (const {name, value} of wantedFields(mail)) {
		cost += costOf(value);
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

/** The summary of the header section at the beginning of a mail, however long it takes. */
export function anySummary(mail: Buffer, decodeText: DecodeText, decodeRaw: Decode): Summary {
	const fields = new Map<Name, string>();
	for (const {name, value} of wantedFields(mail)) {
		keepFirst(fields, name, value);
	}

	return summaryOf(fields, decodeText, decodeRaw);
}

/** A field that may stand there once and stands there more often counts as it was given first. */
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
	const beyond = {isCut: false};
	const list = (name: Name, room: Room) => {
		if (!fields.has(name)) {
			return [];
		}

		const read = mailboxesIn(text(name), decodeText, room);
		beyond.isCut ||= read.isCut;
		return read.mailboxes;
	};
	const beginning = (whole: string, length: number) => {
		beyond.isCut ||= whole.length > length;
		// Never within a character.
		return whole.length > length ? whole.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') : whole;
	};
	const author = readMailbox(list('from', {left: kept.author})[0] ?? '');
	const others = {left: kept.others};
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
		...(beyond.isCut && {isCut: true}),
	};
}

/** Each group (RFC 5322, section 3.4) is read on its own, and so are the groups in it. */
function costOf(value: string): number {
	return fieldCost + value.length * value.split(':').length;
}

/** The first mailboxes of a field that there is room for, and whether there are more; those in groups are as good as others. */
function mailboxesIn(text: string, decodeText: DecodeText, room: Room): MailboxList {
	const parsed = parseMailboxes(text.slice(0, maxListLength));
	const isWhole = text.length <= maxListLength;
	const mailboxes: Mailbox[] = [];
	// The last one may have been cut in two.
	for (const mailbox of isWhole ? parsed : parsed.slice(0, -1)) {
		for (const one of mailboxesOf(mailbox, decodeText)) {
			room.left -= sizeOfMailbox(one);
			if (room.left < 0 || mailboxes.length === maxMailboxes) {
				return {mailboxes, isCut: true};
			}

			mailboxes.push(one);
		}
	}

	return {mailboxes, isCut: !isWhole};
}

/** The library takes thirty times as long for a plain mailbox, which is what most fields have. */
function parseMailboxes(text: string): readonly ParsedMailbox[] {
	const [, , name = '', address, alone = address] = plainMailbox.exec(text) ?? [];
	return alone === undefined ? addressparser(withClosedQuotes(text), {flatten: true}) : [{address: alone, name}];
}

/** Without the last quotation mark where it has no other one: all behind it would be a name. */
function withClosedQuotes(text: string): string {
	const marks = [...text.matchAll(/\\.|"/gs)].filter(([mark]) => mark === '"');
	const last = marks.length % 2 === 0 ? undefined : marks.at(-1)?.index;
	return last === undefined ? text : text.slice(0, last) + text.slice(last + 1);
}

type ParsedMailbox = {readonly address?: string; readonly name: string};

/** Some senders encode the whole of a mailbox, which RFC 2047, section 5, forbids, and some its address. */
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

/** Hours that zones with a name are ahead of UTC (RFC 5322, section 4.3). Others say as little as `-0000`. */
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

/** Characters in which a date stands, its comments included. */
const maxLength = 1000;

/** Day of the week, day, month, year, hour, minute, second and zone, which some leave out, also as they were written before the year 2000. */
const dateTime =
	/^(?:[a-z]+\s*,)?\s*(\d{1,2})\s+([a-z]{3})\s+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d\d)(?:\s*:\s*(\d\d))?\s*(?:([+-])([01]\d|2[0-3])([0-5]\d)|(?![ap]m$)([a-z]{0,5}))$/i;

/**
 * The moment that a `Date` field says (RFC 5322, sections 3.3 and 4.3), in ISO 8601 and UTC; undefined when it says none, or
 * one that is in no calendar.
 */
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

/** Of years that are written with two or three digits (RFC 5322, section 4.3). */
function fullYear(digits: string): number {
	const year = Number(digits);
	return digits.length === 4 ? year : year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}
