import type {Readable} from 'node:stream';
import {extractCodes} from '../../domain/extract/codes.js';
import {readHtml} from '../../domain/extract/html.js';
import {extractLinks} from '../../domain/extract/links.js';
import type {Attachment, Content, HeaderField, Summary} from '../../domain/mail/message.js';
import {textOfHtml} from '../../lib/text/html-text.js';
import {decodeFields, hasHead, headOf, splitHeader} from './header-section.js';
import {type MimePart, type ParsedMail, parseMail, partsOf} from './mail-parser.js';
import {anySummary} from './summary.js';
import {createDecodeText, rawDecoder} from './text-decoding.js';

const unknownCharset = (name: string) =>
	`A header field has words in the unknown character set "${name.slice(0, 40)}". They were decoded as UTF-8.`;

const cutText = 'The text was extracted from only the first 2 MiB or 100,000 tags of the HTML.';

/**
 * Parses a mail. If it cannot be parsed completely, returns the part before the problem. Throws if not even the header
 * section can be parsed.
 */
export async function readContent(source: Readable): Promise<Content> {
	const lineEnds = new LineEnds();
	const attachments: Array<Attachment & {size: number}> = [];
	const mail = await parseMail(lineEnds.watch(source), (found, number) => {
		const attachment = {
			id: String(number),
			filename: found.filename,
			contentType: found.contentType,
			size: 0,
			contentId: found.cid ?? null,
			disposition: found.disposition,
		};
		attachments.push(attachment);
		return piece => {
			attachment.size += piece.length;
		};
	});
	if (mail.root === undefined && mail.failure !== undefined) {
		throw mail.failure;
	}

	const {text, isWhole} = plainTextOf(mail.root);
	const unknownCharsets = new Set<string>();
	const decodeText = createDecodeText(charset => unknownCharsets.add(charset));
	const headers = decodeFields(mail.fields, decodeText, rawDecoder(charsetOf(mail.root)));
	const subject = headers.find(({name}) => name.toLowerCase() === 'subject')?.value ?? '';
	const html = htmlOf(mail.root);
	const searched = {subject, text, html: readHtml(html)};
	return {
		headers,
		text,
		html,
		attachments,
		codes: extractCodes(searched),
		links: extractLinks(searched),
		warnings: [
			...warningsAbout(mail, lineEnds),
			...[...unknownCharsets].map(unknownCharset),
			...(isWhole ? [] : [cutText]),
		],
	};
}

/** Returns the decoded bytes of the attachment with this id, if there is one. Stops reading at its end. */
export async function readAttachment(source: Readable, id: string): Promise<Buffer | undefined> {
	const pieces: Buffer[] = [];
	let isFound = false;
	await parseMail(source, (found, number) => {
		if (String(number) !== id) {
			return () => {};
		}

		isFound = true;
		found.content.once('end', () => source.destroy());
		return piece => pieces.push(piece);
	});
	return isFound ? Buffer.concat(pieces) : undefined;
}

/** The first character set that a mail declares: of its body, or of the first part of that. */
function charsetOf(root: MimePart | undefined): string | undefined {
	const {node} = partsOf(root).find(({node}) => node.charset) ?? {};
	return node?.charset || undefined;
}

/** Returns the HTML bodies of a mail, joined. */
export function htmlOf(root: MimePart | undefined): string {
	return partsOf(root)
		.flatMap(({contentType, textContent}) => (textContent && contentType === 'text/html' ? [textContent] : []))
		.join('<br/>\n');
}

/** Character set in a `Content-Type` field. Linear: it looks at no field twice. */
const declaredCharset = /^content-type:(?:[^\n]|\n(?=[ \t]))*?[;\s]charset\s*=\s*["']?([\w.:+-]+)/im;

/** Parses the summary of a mail without reading further than the header section. */
export async function readSummary(source: Readable): Promise<Summary> {
	const mail = await readBeginning(source);
	return anySummary(mail, createDecodeText(), rawDecoder(charsetIn(mail)));
}

/** Returns the decoded header fields of a mail. */
export function readHeaders(mail: Buffer): HeaderField[] {
	return decodeFields(splitHeader(headOf(mail)), createDecodeText(), rawDecoder(charsetIn(mail)));
}

/** The first character set that a mail declares: of its body, or of the first part of that. */
function charsetIn(mail: Buffer): string | undefined {
	const head = headOf(mail).toString('latin1');
	return declaredCharset.exec(/^content-type:\s*multipart\//im.test(head) ? mail.toString('latin1') : head)?.[1];
}

/** Reads the start of a mail up to the chunk that ends the header section. */
async function readBeginning(source: Readable): Promise<Buffer> {
	let mail: Buffer = Buffer.alloc(0);
	for await (const piece of source as AsyncIterable<Buffer>) {
		mail = Buffer.concat([mail, piece]);
		if (hasHead(mail)) {
			break;
		}
	}

	return mail;
}

/** Maximum number of characters and tags of HTML that are converted to text per mail, which takes at most 0.2 s. */
const maxHtml = 2 * 1024 * 1024;
const maxTags = 100_000;

/** Text of a mail; `isWhole` is false if it has more HTML than the limit. */
type PlainText = {readonly text: string; readonly isWhole: boolean};

/** Returns the texts of a mail in order, with HTML converted; of alternatives, the plain text. */
function plainTextOf(root: MimePart | undefined): PlainText {
	let remainingLength = maxHtml;
	let remainingTags = maxTags;
	let isWhole = true;

	function convert(html: string): string {
		let end = Math.min(html.length, remainingLength);
		for (let tag = html.indexOf('<'); tag >= 0 && tag < end; tag = html.indexOf('<', tag + 1)) {
			end = remainingTags === 0 ? tag : end;
			remainingTags = Math.max(0, remainingTags - 1);
		}

		remainingLength -= end;
		isWhole &&= end === html.length;
		return textOfHtml(html.slice(0, end));
	}

	function textsOf({contentType, textContent = '', children}: MimePart): string[] {
		if (contentType === 'multipart/alternative' && children.length > 0) {
			const plain = children.filter(child => !hasHtml(child)).flatMap(textsOf);
			return plain.some(hasText) ? plain : children.filter(hasHtml).flatMap(textsOf);
		}

		const text = contentType === 'text/html' ? convert(textContent) : textContent;
		return [...(text === '' ? [] : [text]), ...children.flatMap(textsOf)];
	}

	const texts = root === undefined ? [] : textsOf(root);
	const text = (texts.some(hasText) ? texts.filter(hasText) : texts).join('\n');
	return {text, isWhole};
}

function hasHtml({contentType, textContent, children}: MimePart): boolean {
	return (contentType === 'text/html' && textContent !== undefined) || children.some(hasHtml);
}

function hasText(text: string): boolean {
	return /\S/.test(text);
}

const carriageReturn = 13;
const lineFeed = 10;

/** Fields that may occur once in a header section (RFC 5322, section 3.6) or in the header of a part. */
const fieldsGivenOnce = [
	...['Date', 'From', 'Sender', 'Reply-To', 'To', 'Cc', 'Bcc', 'Message-ID', 'In-Reply-To', 'References', 'Subject'],
	...['Content-Type', 'Content-Transfer-Encoding'],
];

/** Returns sentences about problems of a mail, for the developer of the sender. */
function warningsAbout(mail: ParsedMail, {hasBareFeed, hasBareReturn}: LineEnds): string[] {
	const checks: ReadonlyArray<readonly [boolean, string]> = [
		[mail.failure !== undefined, `Only a part of the mail could be parsed: ${mail.failure?.message}.`],
		[mail.failure === undefined && mail.fields.every(({key}) => key === ''), 'The mail has no header section.'],
		[
			mail.failure === undefined && !mail.isClosed,
			'The mail is truncated or malformed: its closing boundary is missing.',
		],
		[mail.isTooDeep, 'The mail has parts nested more than 100 levels deep. They are kept together as one attachment.'],
		[hasBareFeed, 'The mail has line feeds without a carriage return, which some servers reject.'],
		[hasBareReturn, 'The mail has carriage returns without a line feed, which some servers reject.'],
	];
	const problems = new Set(
		partsOf(mail.root).flatMap(({node, charsetProblem}) => [
			...(node.problems ?? []),
			...(charsetProblem ? [charsetProblem] : []),
		]),
	);
	return [
		...checks.filter(([applies]) => applies).map(([, sentence]) => sentence),
		...repetitionsIn(mail),
		...problems,
	];
}

function repetitionsIn({fields}: ParsedMail): string[] {
	return fieldsGivenOnce
		.filter(name => fields.filter(({key}) => key === name.toLowerCase()).length > 1)
		.map(name => `The header field ${name} occurs more than once. Its first value is used.`);
}

/**
 * Detects carriage returns and line feeds without each other (RFC 5321, section 2.3.8, forbids them) in a source that
 * passes through.
 */
class LineEnds {
	/** True after a line feed without a carriage return. */
	hasBareFeed = false;
	/** True after a carriage return without a line feed. */
	hasBareReturn = false;

	async *watch(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		let previous = 0;
		for await (const chunk of source) {
			this.#scan(chunk, previous);
			previous = chunk.at(-1) ?? previous;
			yield chunk;
		}
	}

	#scan(chunk: Buffer, previous: number): void {
		let {hasBareFeed, hasBareReturn} = this;
		let before = previous;
		for (let at = 0; at < chunk.length; at++) {
			const byte = chunk[at] ?? 0;
			if (byte === lineFeed) {
				hasBareFeed ||= before !== carriageReturn;
			} else if (before === carriageReturn) {
				hasBareReturn = true;
			}

			before = byte;
		}

		this.hasBareFeed = hasBareFeed;
		this.hasBareReturn = hasBareReturn;
	}
}
