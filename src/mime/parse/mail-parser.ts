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
	/** Members that the types leave out; the version is pinned. */
	interface MailParser {
		/** The root of the mail; false until its header was read. */
		readonly tree: MimePart | false;
		/** The part whose header was read last. */
		readonly curnode: MimePart | false;
		readonly splitter: Splitter;
		createNode(part: SplitPart): MimePart;
		processChunk(chunk: SplitChunk, done: () => void): void;
		processHeaders(lines: HeaderLines): Map<string, unknown>;
	}
}

/** What mailparser found in a source: all of it, or what came before it gave up. */
export type ParsedMail = {
	readonly fields: HeaderLines;
	/** Undefined when not even the header section could be read. */
	readonly root: MimePart | undefined;
	/** Whether the closing boundary of all that has parts was seen. */
	readonly isClosed: boolean;
	/** Whether something that has parts is left whole, since it stands in too many others. */
	readonly isTooDeep: boolean;
	/** Why mailparser gave up; undefined when it did not. */
	readonly failure: UnreadableMail | undefined;
};

/** Called for each attachment, the first being number 1; gives what takes its decoded bytes, piece by piece. */
type Collect = (attachment: FoundAttachment, number: number) => (piece: Buffer) => void;

/** Reads a source to its end. */
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
			say(part, Buffer.concat(pieces));
		}
	}

	const root = parser.tree || undefined;
	const isClosed = partsOf(root).every(({node}) => !isMultipart(node) || finder.closed.has(node));
	return {fields: root?.headerLines ?? [], root, isClosed, isTooDeep: finder.isTooDeep, failure};
}

/** Writes all of a source; resolves when it was taken. `pipeline` costs a small mail a tenth of the time it takes to read. */
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

/** Has the part say what its decoded bytes mean. */
function say(part: MimePart, bytes: Buffer): void {
	const {contentType, charset, flowed, delSp} = part.node;
	const {text, problem} = readText(bytes, charset || undefined, contentType === 'text/html');
	part.textContent = flowed && contentType === 'text/plain' ? unflow(text, delSp) : text;
	part.charsetProblem = problem;
}

/** What takes the transfer encoding of a part away. */
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

/** mailparser as far as it makes parts and takes transfer encodings away: what they hold goes to who is shown the part. */
function createMailParser(show: (part: MimePart) => void): MailParser {
	const parser = new MailParser();
	const {processChunk, createNode} = parser;
	parser.processChunk = (chunk, done) => {
		if (chunk.type === 'node') {
			const part = createNode.call(parser, chunk);
			part.decoder = decoderOf(part);
			show(part);
			setImmediate(done);
		} else {
			processChunk.call(parser, chunk, done);
		}
	};
	// Nobody asks for its headers, and lists of addresses take it long.
	parser.processHeaders = () => new Map();
	// It may find more to complain of after it gave up.
	parser.on('error', () => {});
	return parser.resume();
}

/** A part of a mail as mailparser keeps it. */
export type MimePart = {
	readonly node: SplitPart;
	readonly contentType: string | false;
	readonly headerLines: HeaderLines;
	readonly parent?: MimePart;
	readonly children: readonly MimePart[];
	/** Gives its decoded bytes. */
	decoder: Readable & Writable;
	/** What a body says, once the mail was read. */
	textContent?: string;
	/** What is wrong with its character set, in a sentence. */
	charsetProblem?: string | undefined;
};

/** An attachment as its part says it is. */
type FoundAttachment = {
	readonly filename: string;
	readonly contentType: string;
	/** Its content id without the angle brackets. */
	readonly cid: string | undefined;
	readonly disposition: string | null;
	/** Its decoded bytes. */
	readonly content: Readable;
};

/** The part and all those in it, in the order of the mail. */
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
 * All but texts; and texts that are said to be files: those with a name that are shown inline, any that are not, and those that
 * have nothing but a name, behind one that has none.
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
 * Whether what the part says is what the mail says. Files that are shown inline do so where they are alternatives, or the
 * first text of the mail; what has parts does when there are none in it.
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

/** What an attachment says it is. A general type gives way to the one that the name has by its ending. */
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

/** Whether parts of the type are texts that are shown. */
function isText(contentType: string | false): boolean {
	return ['text/plain', 'text/html', 'message/delivery-status'].includes(contentType || '');
}

const space = 32;
const quoteMark = 62;

/**
 * Text of `format=flowed` with its paragraphs as lines (RFC 3676). Quotes stay marked, and each depth has paragraphs of its
 * own. With `isSpaceDeleted`, the spaces at which paragraphs were broken are no part of them.
 */
function unflow(text: string, isSpaceDeleted: boolean): string {
	const unflowed = new CutText(text);
	/** How often the paragraph is quoted that the last line left open; -1 when it left none. */
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

/** A text without some of its pieces. Putting together what is left, a piece a line, would take more memory than there is. */
class CutText {
	readonly #text: string;
	readonly #units: Uint16Array;
	#length = 0;
	/** The bits of all characters so far. */
	#bits = 0;
	/** Where what is not decided yet begins. */
	#rest = 0;

	constructor(text: string) {
		this.#text = text;
		this.#units = new Uint16Array(text.length);
	}

	/** Leaves a piece out, which begins behind the one before. */
	cut(from: number, to: number): void {
		const [text, units] = [this.#text, this.#units];
		let length = this.#length;
		let bits = this.#bits;
		for (let at = this.#rest; at < from; at++) {
			const unit = text.charCodeAt(at);
			bits |= unit;
			units[length++] = unit;
		}

		this.#length = length;
		this.#bits = bits;
		this.#rest = to;
	}

	/** What is left of the text. */
	end(): string {
		if (this.#rest === 0) {
			return this.#text;
		}

		this.cut(this.#text.length, this.#text.length);
		const left = this.#units.subarray(0, this.#length);
		return this.#bits < 256
			? Buffer.from(left).toString('latin1')
			: Buffer.from(left.buffer, 0, left.byteLength).toString('utf16le');
	}
}
