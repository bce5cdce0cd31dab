import type {Readable} from 'node:stream';
import type {Context} from 'koa';
import type {Attachment} from '../domain/message.js';
import {safeFileName} from '../lib/sanitize.js';

type Download = {
	readonly filename: string;
	readonly type: string;
	readonly size: number;
	readonly body: Readable | Buffer;
};

/**
 * Answers with bytes that somebody else wrote: as a file to keep (RFC 6266), never as a page of this origin. A browser
 * that shows it all the same runs nothing and loads nothing.
 */
export function download(ctx: Context, {filename, type, size, body}: Download): void {
	ctx.attachment(filename);
	ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
	ctx.body = body;
	ctx.set('Content-Type', type);
	ctx.length = size;
}

/** Answers with an attachment under the name and the type that the mail gives it, as far as these are safe. */
export function downloadAttachment(
	ctx: Context,
	{attachment, bytes}: {readonly attachment: Attachment; readonly bytes: Buffer},
): void {
	download(ctx, {
		filename: safeFileName(attachment.filename, `attachment-${attachment.id}`),
		type: safeMediaType(attachment.contentType),
		size: bytes.length,
		body: bytes,
	});
}

/** The media type if it is one (RFC 9110, section 8.3.1), without parameters. */
function safeMediaType(type: string): string {
	const token = "[\\w!#$%&'*+.^`|~-]+";
	return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}
