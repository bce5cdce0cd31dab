import type {Context} from 'koa';
import {type InlineForm, inlineType} from '../../contract/inline.js';
import type {Attachment} from '../../domain/mail/message.js';
import {safeFileName, sanitizeLine} from '../../lib/text/sanitize.js';
import {byteChunks, type Chunk, type ResponsePart, type ResponseQueue, textChunks} from '../server/responses.js';
import {describePage, escapeHtml, inlineSource} from './html-page.js';

type Download = {readonly filename: string; readonly type: string; readonly size: number};

/** Sets the headers of a download (RFC 6266) of untrusted content. A browser that shows it anyway runs and loads nothing. */
function describeDownload(ctx: Context, {filename, type, size}: Download): void {
	ctx.attachment(filename);
	ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
	ctx.set('Content-Type', type);
	ctx.length = size;
}

/** Number of bytes that are read at a time. */
const sliceLength = 1024 * 1024;

type SourceDownload = {
	readonly name: string;
	readonly size: number;
	/** Reads the bytes from `start` to `end`, inclusive. */
	readonly read: (start: number, end: number) => Promise<Buffer>;
	readonly owner: string;
	readonly responseQueue: ResponseQueue;
};

/** Sends the source of a mail. The file is only open while a slice is read. */
export async function downloadSource(ctx: Context, download: SourceDownload): Promise<void> {
	const {name, size, read, owner, responseQueue} = download;
	ctx.respond = false;
	ctx.status = 200;
	describeDownload(ctx, {filename: name, type: 'message/rfc822', size});
	await responseQueue.send(owner, ctx.res, slicesOf(size, read));
}

function* slicesOf(size: number, read: SourceDownload['read']): Generator<ResponsePart> {
	for (let start = 0; start < size; start += sliceLength) {
		yield async () => byteChunks(await read(start, start + sliceLength - 1));
	}
}

/** Sets the headers of an attachment that a browser shows in isolation. */
function describeInline(ctx: Context, filename: string, {type, policy}: InlineAttachment): void {
	describePage(ctx, policy);
	ctx.attachment(filename, {type: 'inline'});
	ctx.set('Content-Type', type);
}

type AttachmentDownload = {
	readonly read: () => Promise<{readonly attachment: Attachment; readonly bytes: Buffer}>;
	/** True to show the attachment in the browser if it can be isolated. */
	readonly isInline?: boolean;
	readonly owner: string;
	readonly responseQueue: ResponseQueue;
};

/** Sends an attachment with the name and type given in the mail, as far as they are safe. */
export async function downloadAttachment(ctx: Context, download: AttachmentDownload): Promise<void> {
	const {read, isInline = false, owner, responseQueue} = download;
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
	await responseQueue.send(owner, ctx.res, [part]);
}

/** Media type without parameters (RFC 9110, section 8.3.1), or a default for an invalid one. */
function safeMediaType(type: string): string {
	const token = "[\\w!#$%&'*+.^`|~-]+";
	return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}

/** Attachment in the form that a browser shows. */
type InlineAttachment = {readonly type: string; readonly policy: string; readonly pieces: readonly Chunk[]};

/** Maximum size of a drawing that is shown; larger ones are downloaded. */
const maxDrawing = 1024 * 1024;

const style = 'body {margin: 0} img {display: block; max-width: 100%; margin: auto}';

/**
 * Content Security Policies: no scripts, no requests, no origin. A PDF cannot be framed, because its links would replace the
 * page around it.
 */
const policies: Readonly<Record<InlineForm, string>> = {
	image: "sandbox; default-src 'none'; frame-ancestors 'self'",
	drawing: `sandbox; default-src 'none'; img-src data:; style-src ${inlineSource(style)}; frame-ancestors 'self'`,
	pdf: "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/** Form in which a browser shows an attachment in isolation; undefined for none. */
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
