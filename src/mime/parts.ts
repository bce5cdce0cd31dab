import type {Readable, Writable} from 'node:stream';
import libmime from 'libmime';
import type {HeaderLines} from 'mailparser';
import {isMultipart, type SplitPart} from './mailsplit.js';

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
export type FoundAttachment = {
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
export function isAttachment({node, contentType, parent}: MimePart, bodiesBefore: readonly MimePart[]): boolean {
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
export function isBody(part: MimePart, bodiesBefore: readonly MimePart[]): boolean {
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
export function attachmentIn({node, contentType, decoder}: MimePart): FoundAttachment {
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
export function isText(contentType: string | false): boolean {
	return ['text/plain', 'text/html', 'message/delivery-status'].includes(contentType || '');
}
