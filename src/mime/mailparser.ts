import {Transform} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {type AttachmentStream, type HeaderLines, type Headers, MailParser, type MessageText} from 'mailparser';
import {withoutByteOrderMark} from './header-section.js';
import {readText} from './text-part.js';

/** A part of a mail as mailparser keeps it. */
export type MimePart = {
	readonly contentType: string | false;
	/** Its character set as the mail says it. */
	readonly declaredCharset?: string;
	readonly children: readonly MimePart[];
	/** The decoded body of a text part, once it was read to its end. */
	readonly textContent?: string;
	/** What is wrong with its character set, in a sentence. */
	charsetFault?: string | undefined;
};

declare module 'mailparser' {
	/** Members that the types leave out; the version is pinned. */
	interface MailParser {
		/** The root of the mail; false until its header was read. */
		readonly tree: MimePart | false;
		/** What reads the lines: `node` is the part it stands in, at the end of a whole mail the root. */
		readonly splitter: {readonly node: {readonly root: boolean}; readonly inEpilogue: boolean};
		/** The part that is being read. */
		readonly curnode: MimePart;
		createNode(node: unknown): MimePart & {readonly charset?: string};
		processHeaders(fields: HeaderLines): Headers;
		getDecoder(): {decodeStream(charset: string): Transform};
	}
}

/** What mailparser found in a source: all of it, or what came before it gave up. */
export type ParsedMail = {
	readonly fields: HeaderLines;
	/** Undefined when not even the header section could be read. */
	readonly root: MimePart | undefined;
	/** Whether the closing boundary of a mail in parts was seen. */
	readonly isClosed: boolean;
	/** Why mailparser gave up; undefined when it did not. */
	readonly failure: UnreadableMail | undefined;
};

/** Why a mail cannot be read to its end, for people: the message is the end of a sentence. */
export class UnreadableMail extends Error {}

/** The limits of mailparser, whose own words speak of its parts. */
const reasons: ReadonlyArray<readonly [RegExp, string]> = [
	[/^Max header size/, 'a header section in it is longer than 1 MiB'],
	[/^Max allowed child nodes/, 'it has more than 1,000 parts'],
];

/** Called for each attachment, the first being number 1; gives what takes its decoded bytes, piece by piece. */
type Collect = (attachment: AttachmentStream, number: number) => (piece: Buffer) => void;

/** Reads a source to its end. */
export async function parseMail(source: AsyncIterable<Buffer>, collect: Collect): Promise<ParsedMail> {
	const parser = new MailReader();
	const attachments: Array<Promise<void>> = [];
	let fields: HeaderLines = [];
	parser.on('headerLines', lines => {
		fields = lines;
	});
	parser.on('data', (found: AttachmentStream | MessageText) => {
		if (found.type === 'attachment') {
			attachments.push(passBy(found, collect(found, attachments.length + 1)));
		}
	});
	// It may find more to complain of after it gave up.
	parser.on('error', () => {});
	const failure = await pipeline(withoutByteOrderMark(source), parser).then(
		() => undefined,
		(error: Error) => new UnreadableMail(reasonFor(error), {cause: error}),
	);
	if (failure === undefined) {
		await Promise.all(attachments);
	}

	const {node, inEpilogue} = parser.splitter;
	return {fields, root: parser.tree || undefined, isClosed: node.root && inEpilogue, failure};
}

/** The part and all those in it, in the order of the mail. */
export function partsOf(part: MimePart | undefined): MimePart[] {
	return part === undefined ? [] : [part, ...part.children.flatMap(partsOf)];
}

function reasonFor({message}: Error): string {
	const [, reason = 'something in it is malformed'] = reasons.find(([words]) => words.test(message)) ?? [];
	return reason;
}

/** mailparser without what costs time and nobody here asks for, and with our own idea of character sets. */
class MailReader extends MailParser {
	constructor() {
		super({skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true});
	}

	override processHeaders(fields: HeaderLines): Headers {
		return super.processHeaders(fields.filter(({key}) => key === 'content-id'));
	}

	/** mailparser would decode by itself what names no character set, and UTF-8. */
	override createNode(node: unknown): MimePart {
		const part = super.createNode(node);
		return Object.assign(part, {declaredCharset: part.charset, charset: 'as declared'});
	}

	override getDecoder() {
		return {decodeStream: () => textDecoder(this.curnode)};
	}
}

/** Gives the text of a part in UTF-8, once all of it is there. */
function textDecoder(part: MimePart): Transform {
	const pieces: Buffer[] = [];
	return new Transform({
		transform(piece: Buffer, _encoding, done) {
			pieces.push(piece);
			done();
		},
		flush(done) {
			const {text, fault} = readText(Buffer.concat(pieces), part.declaredCharset, part.contentType === 'text/html');
			part.charsetFault = fault;
			done(null, text);
		},
	});
}

/** mailparser goes on only when the attachment is released. */
async function passBy({content, release}: AttachmentStream, take: (piece: Buffer) => void): Promise<void> {
	await new Promise(resolve => content.on('data', take).once('end', resolve).once('error', resolve));
	release();
}
