import {createHash} from 'node:crypto';
import type {Context} from 'koa';
import {type InlineForm, inlineType} from '../../contract/inline.js';
import type {Attachment} from '../../domain/mail/message.js';
import {safeFileName, sanitizeLine} from '../../lib/text/sanitize.js';
import {byteChunks, type Chunk, type ResponsePart, type ResponseQueue, textChunks} from '../server/answers.js';
import {describePage, escapeHtml} from './html-page.js';

type Download = {readonly filename: string; readonly type: string; readonly size: number};

/**
 * Says of an answer that it is bytes which somebody else wrote: a file to keep (RFC 6266), never a page of this origin. A
 * browser that shows it all the same runs nothing and loads nothing.
 */
function describeDownload(ctx: Context, {filename, type, size}: Download): void {
	ctx.attachment(filename);
	ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
	ctx.set('Content-Type', type);
	ctx.length = size;
}

/** Of a source so much is read at a time. */
const sliceLength = 1024 * 1024;

type SourceDownload = {
	readonly name: string;
	readonly size: number;
	/** Reads the bytes from `start` to `end`, the last one included. */
	readonly read: (start: number, end: number) => Promise<Buffer>;
	readonly owner: string;
	readonly longAnswers: ResponseQueue;
};

/** Answers with the source of a mail. Its file is open while a slice is read: an answer that nobody reads holds none. */
export async function downloadSource(ctx: Context, download: SourceDownload): Promise<void> {
	const {name, size, read, owner, longAnswers} = download;
	ctx.respond = false;
	ctx.status = 200;
	describeDownload(ctx, {filename: name, type: 'message/rfc822', size});
	await longAnswers.send(owner, ctx.res, slicesOf(size, read));
}

function* slicesOf(size: number, read: SourceDownload['read']): Generator<ResponsePart> {
	for (let start = 0; start < size; start += sliceLength) {
		yield async () => byteChunks(await read(start, start + sliceLength - 1));
	}
}

/** Says of an answer that it is an attachment which a browser shows, apart from everything else. */
function describeInline(ctx: Context, filename: string, {type, policy}: InlineAttachment): void {
	describePage(ctx, policy);
	ctx.attachment(filename, {type: 'inline'});
	ctx.set('Content-Type', type);
}

type AttachmentDownload = {
	readonly read: () => Promise<{readonly attachment: Attachment; readonly bytes: Buffer}>;
	/** Whether a browser is to show it, if it can do so in isolation. */
	readonly isInline?: boolean;
	readonly owner: string;
	readonly longAnswers: ResponseQueue;
};

/** Answers with an attachment under the name and the type that the mail gives it, as far as these are safe. */
export async function downloadAttachment(ctx: Context, download: AttachmentDownload): Promise<void> {
	const {read, isInline = false, owner, longAnswers} = download;
	ctx.respond = false;
	const part = async () => {
		const {attachment, bytes} = await read();
		const inline = isInline ? inlineAttachment(attachment, bytes) : undefined;
		if (!ctx.headerSent) {
			const filename = safeFileName(attachment.filename, `attachment-${attachment.id}`);
			const type = safeMediaType(attachment.contentType);
			ctx.status = 200;
			if (inline) {
				describeInline(ctx, filename, inline);
			} else {
				describeDownload(ctx, {filename, type, size: bytes.length});
			}
		}

		return inline?.pieces ?? byteChunks(bytes);
	};
	await longAnswers.send(owner, ctx.res, [part]);
}

/** The media type if it is one (RFC 9110, section 8.3.1), without parameters. */
function safeMediaType(type: string): string {
	const token = "[\\w!#$%&'*+.^`|~-]+";
	return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}

/** An attachment as a browser shows it, of itself or of what was made of it. */
type InlineAttachment = {readonly type: string; readonly policy: string; readonly pieces: readonly Chunk[]};

/** Bytes of a drawing that is shown; a larger one can be kept. */
const maxDrawing = 1024 * 1024;

const style = 'body {margin: 0} img {display: block; max-width: 100%; margin: auto}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** None of them runs anything, loads anything or has an origin. A PDF stands in no page: in one, its links would lead that page away. */
const policies: Readonly<Record<InlineForm, string>> = {
	image: "sandbox; default-src 'none'; frame-ancestors 'self'",
	drawing: `sandbox; default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; frame-ancestors 'self'`,
	pdf: "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/** Undefined for what a browser does not show in isolation. */
function inlineAttachment(
	{filename, contentType}: Pick<Attachment, 'filename' | 'contentType'>,
	bytes: Buffer,
): InlineAttachment | undefined {
	const {type, form} = inlineType(contentType) ?? {};
	if (type === undefined || form === undefined || (form === 'drawing' && bytes.length > maxDrawing)) {
		return undefined;
	}

	const policy = policies[form];
	return form === 'drawing'
		? {type: 'text/html; charset=utf-8', policy, pieces: drawingPage(sanitizeLine(filename), type, bytes)}
		: {type, policy, pieces: byteChunks(bytes)};
}

function drawingPage(name: string, type: string, bytes: Buffer): readonly Chunk[] {
	const title = escapeHtml(name || 'Image');
	return [
		() => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>`,
		() => `<img alt="${title}" src="data:${type};base64,`,
		...textChunks(bytes.toString('base64')),
		() => '">',
	];
}
