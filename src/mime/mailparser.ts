import {once} from 'node:events';
import {PassThrough, type Readable, type Writable} from 'node:stream';
import {finished} from 'node:stream/promises';
import {type HeaderLines, MailParser} from 'mailparser';
import {Base64Decoder} from './base64.js';
import {unflow} from './flowed.js';
import {withoutByteOrderMark} from './header-section.js';
import {isMultipart, type SplitChunk, type SplitPart, type Splitter} from './mailsplit.js';
import {PartFinder, UnreadableMail} from './part-finder.js';
import {attachmentIn, type FoundAttachment, isAttachment, isBody, isText, type MimePart, partsOf} from './parts.js';
import {QuotedPrintableDecoder} from './quoted-printable.js';
import {readText} from './text-part.js';

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
