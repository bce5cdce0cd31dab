import {addressFields} from '../../contract/descriptions.js';
import type {FullMessageBody, MessageSummaryBody} from '../../contract/messages.js';
import {mailboxList, sanitizeLine} from '../../lib/text/sanitize.js';
import {formatSize} from '../../lib/text/units.js';
import {bodyOf, type View} from './body.js';
import {cutLine, fitLines, fitText} from './cut.js';
import {untrusted} from './untrusted.js';

/** The most of a mail that one answer holds, in bytes of UTF-8, and what of it the head and the hidden text have. */
const maxBytes = {all: 8192, head: 3072, hidden: 512};

/** Characters of a line of the head, and of a link, of which nothing may be missing. */
const maxLine = 300;
const maxLink = 2048;

/** How many of each that there can be many of are shown. */
const maxListed = 10;

/** From where on a view is shown. */
export type ShownPart = {readonly view: View; readonly offset: number};

/** A message, or a part of one, as an agent is told of it: all that came by mail is marked as such, and is 8 KiB at most. */
export function messageWords(message: FullMessageBody, {view, offset}: ShownPart): string {
	const {text, hidden, notes} = bodyOf(message, view);
	const hasHead = view === 'text' && offset === 0;
	const head = hasHead ? fitLines(headOf(message), maxBytes.head) : {lines: [], left: 0};
	const before = hasHead ? [...head.lines, ''] : [];
	const after = offset === 0 && hidden !== '' ? ['', 'Hidden text:', fitText(hidden, 0, maxBytes.hidden)] : [];
	const room = maxBytes.all - Buffer.byteLength([...before, '', ...after].join('\n'));
	const shown = fitText(text, offset, room);
	const end = offset + shown.length;
	return [
		`Message ${message.id}, received ${message.received_at}, ${formatSize(message.size)}.`,
		untrusted([...before, shown, ...after].join('\n')),
		...(head.left > 0 ? [`Omitted ${head.left} summary lines. Read the full headers with "view": "headers".`] : []),
		...(end < text.length || offset > 0
			? [`Characters ${Math.min(offset, end)} to ${end} of ${text.length} (${view}).`]
			: []),
		...(end < text.length ? [`Continue with get_message, "message": "${message.id}", "offset": ${end}.`] : []),
		...notes,
	].join('\n');
}

/** Messages, each in a line, as an agent is told of them. */
export function messageRows(messages: readonly MessageSummaryBody[]): string {
	const rows = messages.map(({id, received_at, from, subject}) =>
		cutLine(sanitizeLine(`${id} ${received_at} from ${from}: ${subject}`), maxLine),
	);
	const {lines, left} = fitLines(rows, maxBytes.all);
	return [
		untrusted(lines.join('\n')),
		...(left > 0 ? [`Omitted ${left} more messages: they do not fit here.`] : []),
	].join('\n');
}

/** What came instead of a message, as lines that repeat text from outside. */
export function toldLines(lines: readonly string[]): string {
	return untrusted(
		fitLines(
			lines.map(line => cutLine(sanitizeLine(line), maxLine)),
			maxBytes.all,
		).lines.join('\n'),
	);
}

function headOf(message: FullMessageBody): readonly string[] {
	const {subject, reply_to, codes, links, attachments, warnings} = message;
	const lines = [
		...addressFields(message).map(([label, mailboxes]) => `${label}: ${mailboxList(mailboxes)}`),
		...(reply_to.length > 0 ? [`Reply-To: ${reply_to.join(', ')}`] : []),
		`Subject: ${subject}`,
		...(codes.length > 0 ? [`Codes: ${codes.slice(0, maxListed).join(', ')}`] : []),
		...attachments
			.slice(0, maxListed)
			.map(
				({filename, content_type, size}) =>
					`Attachment: ${filename || 'unnamed'} (${content_type}, ${formatSize(size)})`,
			),
		...warnings.slice(0, maxListed).map(warning => `Warning: ${warning}`),
	];
	return [
		...lines.map(line => cutLine(sanitizeLine(line), maxLine)),
		...links.slice(0, maxListed).map(({url, text}) => linkLine(url, text)),
	];
}

function linkLine(url: string, text: string): string {
	const behind = text === '' || text === url ? '' : ` (${cutLine(sanitizeLine(text), maxLine)})`;
	return `Link: ${cutLine(sanitizeLine(url), maxLink)}${behind}`;
}
