import {once} from 'node:events';
import {PassThrough, type Readable, type Writable} from 'node:stream';
import {finished} from 'node:stream/promises';
import libmime from 'libmime';
import {type HeaderLines, MailParser} from 'mailparser';
import {withoutByteOrderMark} from './header-section.js';
import {isMultipart, type SplitChunk, type SplitPart, type Splitter} from './mailsplit.js';
import {PartFinder, UnreadableMail} from './part-finder.js';
import {readText} from './text-decoding.js';
import {Base64Decoder, QuotedPrintableDecoder} from './transfer-encodings.js';

declare module 'mailparser' {
	/** Members that the type definitions omit; the version is pinned. */
	interface MailParser {
		/** Root of the mail; false before its header section is parsed. */
		readonly tree: MimePart | false;
		/** Part whose header section was parsed last. */
		readonly curnode: MimePart | false;
		readonly splitter: Splitter;
		createNode(part: SplitPart): MimePart;
		processChunk(chunk: SplitChunk, done: () => void): void;
		processHeaders(lines: HeaderLines): Map<string, unknown>;
	}
}

/** Parsed source, perhaps incomplete. */
export type ParsedMail = {
	readonly fields: HeaderLines;
	/** Undefined if not even the header section could be parsed. */
	readonly root: MimePart | undefined;
	/** True if the closing boundary of every multipart was found. */
	readonly isClosed: boolean;
	/** True if a multipart was not split, because it is nested too deeply. */
	readonly isTooDeep: boolean;
	/** Reason why parsing stopped, if it did. */
	readonly failure: UnreadableMail | undefined;
};

/** Called for each attachment, numbered from 1. Returns a consumer of its decoded bytes. */
type Collect = (attachment: FoundAttachment, number: number) => (piece: Buffer) => void;

/** Parses a source to its end. */
export async function parseMail(source: AsyncIterable<Buffer>, collect: Collect): Promise<ParsedMail> {
	const bodies = new Map<MimePart, Buffer[]>();
	const ends: Array<Promise<unknown>> = [];
	let attachments = 0;
	const parser = createMailParser(part => {
		const {decoder} = part;
		const bodiesBefore = [...bodies.keys()];
		if (isAttachment(part, bodiesBefore)) {
			decoder.on('data', collect(attachmentIn(part), ++attachments));
		}

		if (isBody(part, bodiesBefore)) {
			const pieces: Buffer[] = [];
			bodies.set(part, pieces);
			decoder.on('data', piece => pieces.push(piece));
		}

		ends.push(new Promise(resolve => decoder.once('end', resolve).once('error', resolve)));
	});
	const finder = new PartFinder(parser.splitter);
	const failure = await pour(withoutByteOrderMark(source), parser).then(
		() => finder.failure,
		(cause: Error) => new UnreadableMail('it is malformed', {cause}),
	);
	if (parser.curnode && !parser.curnode.decoder.writableEnded) {
		parser.curnode.decoder.end();
	}

	await Promise.all(ends);
	for (const [part, pieces] of bodies) {
		if (part.children.length === 0) {
			decodeBody(part, Buffer.concat(pieces));
		}
	}

	const root = parser.tree || undefined;
	const isClosed = partsOf(root).every(({node}) => !isMultipart(node) || finder.closed.has(node));
	return {fields: root?.headerLines ?? [], root, isClosed, isTooDeep: finder.isTooDeep, failure};
}

/** Writes a whole source. `pipeline` would add a tenth to the time of a small mail. */
async function pour(source: AsyncIterable<Buffer>, target: Writable): Promise<void> {
	for await (const piece of source) {
		if (target.destroyed) {
			break;
		}

		if (!target.write(piece)) {
			await once(target, 'drain');
		}
	}

	await finished(target.end(), {readable: false});
}

/** Decodes the text of a body. */
function decodeBody(part: MimePart, bytes: Buffer): void {
	const {contentType, charset, flowed, delSp} = part.node;
	const {text, problem} = readText(bytes, charset || undefined, contentType === 'text/html');
	part.textContent = flowed && contentType === 'text/plain' ? unflow(text, delSp) : text;
	part.charsetProblem = problem;
}

/** Returns the decoder for the transfer encoding of a part. */
function decoderOf({node, contentType}: MimePart): Readable & Writable {
	switch (node.encoding) {
		case 'base64':
			return new Base64Decoder(isText(contentType));
		case 'quoted-printable':
			return new QuotedPrintableDecoder();
		default:
			return new PassThrough();
	}
}

/**
 * Creates a mailparser that only splits the mail and decodes transfer encodings. `onPart` is called for each part, to
 * listen to its decoder.
 */
function createMailParser(onPart: (part: MimePart) => void): MailParser {
	const parser = new MailParser();
	const {processChunk, createNode} = parser;
	parser.processChunk = (chunk, done) => {
		if (chunk.type === 'node') {
			const part = createNode.call(parser, chunk);
			part.decoder = decoderOf(part);
			onPart(part);
			setImmediate(done);
		} else {
			processChunk.call(parser, chunk, done);
		}
	};
	// The headers are not used, and address lists take mailparser long.
	parser.processHeaders = () => new Map();
	// It may report more errors after it stopped.
	parser.on('error', () => {});
	return parser.resume();
}

/** Part of a mail in mailparser. */
export type MimePart = {
	readonly node: SplitPart;
	readonly contentType: string | false;
	readonly headerLines: HeaderLines;
	readonly parent?: MimePart;
	readonly children: readonly MimePart[];
	/** Stream of its decoded bytes. */
	decoder: Readable & Writable;
	/** Text of a body, set when the mail is parsed. */
	textContent?: string;
	/** Sentence about a problem of its character set. */
	charsetProblem?: string | undefined;
};

/** Attachment, as its part declares it. */
type FoundAttachment = {
	readonly filename: string;
	readonly contentType: string;
	/** Content id without angle brackets. */
	readonly cid: string | undefined;
	readonly disposition: string | null;
	/** Stream of its decoded bytes. */
	readonly content: Readable;
};

/** Returns a part and its descendants, in the order of the mail. */
export function partsOf(part: MimePart | undefined): MimePart[] {
	const parts: MimePart[] = [];
	const ahead = part === undefined ? [] : [part];
	for (let next = ahead.pop(); next; next = ahead.pop()) {
		parts.push(next);
		ahead.push(...next.children.toReversed());
	}

	return parts;
}

/**
 * True for all parts except texts in the mail. A text is an attachment if it is inline with a file name, has another
 * disposition, or has only a file name and follows a body without one.
 */
function isAttachment({node, contentType, parent}: MimePart, bodiesBefore: readonly MimePart[]): boolean {
	const {disposition, filename} = node;
	const isNamed = filename !== false && filename !== '';
	const isFurther =
		isNamed &&
		parent?.contentType !== 'multipart/alternative' &&
		bodiesBefore.some(body => !body.node.filename && ['text/html', contentType].includes(body.contentType));
	const isShown = disposition ? disposition === 'inline' && !isNamed : !isFurther;
	return !isMultipart(node) && !(isText(contentType) && isShown);
}

/**
 * True if the text of the part belongs to the text of the mail. That includes inline text files that are alternatives or
 * the first text.
 */
function isBody(part: MimePart, bodiesBefore: readonly MimePart[]): boolean {
	if (!isAttachment(part, bodiesBefore)) {
		return true;
	}

	const {node, contentType, parent} = part;
	const isFirst = !bodiesBefore.some(body => isText(body.contentType));
	return (
		isText(contentType) && node.disposition === 'inline' && (isFirst || parent?.contentType === 'multipart/alternative')
	);
}

/** Returns the declared properties of an attachment. The file name decides the type if the declared one is generic. */
function attachmentIn({node, contentType, decoder}: MimePart): FoundAttachment {
	const {filename, disposition, headers} = node;
	const contentId = headers ? headers.getFirst('content-id') : '';
	const isGeneral = contentType === 'application/octet-stream' && filename;
	return {
		filename: filename || '',
		contentType: isGeneral ? libmime.detectMimeType(filename) : contentType || '',
		cid: contentId === '' ? undefined : contentId.replace(/^<|>$/g, '').trim(),
		disposition: disposition || null,
		content: decoder,
	};
}

/** True for types that are shown as text. */
function isText(contentType: string | false): boolean {
	return ['text/plain', 'text/html', 'message/delivery-status'].includes(contentType || '');
}

const space = 32;
const quoteMark = 62;

/**
 * Joins the lines of `format=flowed` text to paragraphs (RFC 3676). Quotes stay marked, and each quote depth has its own
 * paragraphs. With `isSpaceDeleted` (DelSp), the spaces at line breaks are removed.
 */
function unflow(text: string, isSpaceDeleted: boolean): string {
	const unflowed = new RangeRemover(text);
	/** Quote depth of the paragraph that the last line left open; -1 if none is open. */
	let openDepth = -1;

	for (let line = 0, end = 0; line < text.length; line = end + 1) {
		const marksEnd = endOfMarks(text, line);
		const words = text.charCodeAt(marksEnd) === space ? marksEnd + 1 : marksEnd;
		end = endOfLine(text, words);
		const depth = marksEnd - line;
		const isSignature = end - words === 3 && text.startsWith('-- ', words);
		const isFlowed = end > words && text.charCodeAt(end - 1) === space && !isSignature;
		if (depth === openDepth && !isSignature) {
			unflowed.cut(line - 1, words);
		} else if (depth === 0 && words > line) {
			unflowed.cut(line, words);
		}

		if (isFlowed && isSpaceDeleted) {
			unflowed.cut(end - 1, end);
		}

		openDepth = isFlowed ? depth : -1;
	}

	return unflowed.end();
}

function endOfMarks(text: string, line: number): number {
	let end = line;
	while (text.charCodeAt(end) === quoteMark) {
		end++;
	}

	return end;
}

function endOfLine(text: string, start: number): number {
	let end = start;
	while (end < text.length && text.charCodeAt(end) !== 10) {
		end++;
	}

	return end;
}

/** Removes ranges from a text. Joining the remaining pieces, one per line, would take too much memory. */
class RangeRemover {
	readonly #text: string;
	readonly #units: Uint16Array;
	#length = 0;
	/** Bitwise or of all UTF-16 units, which shows whether Latin-1 is enough. */
	#bits = 0;
	/** Start of the text that is not copied yet. */
	#next = 0;

	constructor(text: string) {
		this.#text = text;
		this.#units = new Uint16Array(text.length);
	}

	/** Removes a range, which starts after the previous one. */
	cut(from: number, to: number): void {
		const [text, units] = [this.#text, this.#units];
		let length = this.#length;
		let bits = this.#bits;
		for (let at = this.#next; at < from; at++) {
			const unit = text.charCodeAt(at);
			bits |= unit;
			units[length++] = unit;
		}

		this.#length = length;
		this.#bits = bits;
		this.#next = to;
	}

	/** Returns the remaining text. */
	end(): string {
		if (this.#next === 0) {
			return this.#text;
		}

		this.cut(this.#text.length, this.#text.length);
		const units = this.#units.subarray(0, this.#length);
		return this.#bits < 256
			? Buffer.from(units).toString('latin1')
			: Buffer.from(units.buffer, 0, units.byteLength).toString('utf16le');
	}
}
