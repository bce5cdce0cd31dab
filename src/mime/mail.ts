import {pipeline} from 'node:stream/promises';
import type {AttachmentStream, HeaderLines, MessageText} from 'mailparser';
import {createMailParser, type Part} from './mailparser.js';

/** What mailparser found in a source: all of it, or what came before it gave up. */
export type Mail = {
	readonly fields: HeaderLines;
	/** Undefined when not even the header section could be read. */
	readonly root: Part | undefined;
	/** Whether the closing boundary of a mail in parts was seen. */
	readonly isClosed: boolean;
	/** Why mailparser gave up; undefined when it did not. */
	readonly failure: string | undefined;
};

/** Called for each attachment, the first being number 1; gives what takes its decoded bytes, piece by piece. */
type Collect = (attachment: AttachmentStream, number: number) => (piece: Buffer) => void;

/** Reads a source to its end. */
export async function parseMail(source: AsyncIterable<Buffer>, collect: Collect): Promise<Mail> {
	const parser = createMailParser();
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
	const failure = await pipeline(source, parser).then(
		() => undefined,
		(error: Error) => error.message,
	);
	if (failure === undefined) {
		await Promise.all(attachments);
	}

	const {node, inEpilogue} = parser.splitter;
	return {fields, root: parser.tree || undefined, isClosed: node.root && inEpilogue, failure};
}

/** mailparser goes on only when the attachment is released. */
async function passBy({content, release}: AttachmentStream, take: (piece: Buffer) => void): Promise<void> {
	await new Promise(resolve => content.on('data', take).once('end', resolve).once('error', resolve));
	release();
}
