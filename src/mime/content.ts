import type {Readable} from 'node:stream';
import {extractCodes} from '../domain/extract/codes.js';
import {extractLinks} from '../domain/extract/links.js';
import {readHtml} from '../domain/extract/read-html.js';
import type {Attachment, Content} from '../domain/message.js';
import {createDecodeText, rawDecoder} from './all-charsets.js';
import {decodeFields} from './header-section.js';
import {parseMail} from './mailparser.js';
import {type MimePart, partsOf} from './parts.js';
import {plainTextOf} from './plain-text.js';
import {LineEnds, warningsAbout} from './warnings.js';

const unknownCharset = (name: string) =>
	`A header field has words in the unknown character set "${name.slice(0, 40)}". They were decoded as UTF-8.`;

const cutText = 'The text was extracted from only the first 2 MiB or 100,000 tags of the HTML.';

/**
 * What a mail says; of one that cannot be read to its end, what stands before the trouble. Throws when that is not even
 * a whole header section.
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

/** The decoded bytes of the attachment with this id, if there is one; reads no further than its end. */
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

/** The HTML bodies of a mail, one after the other. */
export function htmlOf(root: MimePart | undefined): string {
	return partsOf(root)
		.flatMap(({contentType, textContent}) => (textContent && contentType === 'text/html' ? [textContent] : []))
		.join('<br/>\n');
}
