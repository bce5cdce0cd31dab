import type {Context} from 'koa';
import type {Attachment} from '../domain/mail/message.js';
import {safeFileName} from '../lib/text/sanitize.js';
import type {AnswerPart, LongAnswers} from './long-answers.js';
import {describePage} from './pages.js';
import {bytePieces} from './pieces.js';
import {type InlineAttachment, inlineAttachment} from './present/inline.js';

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
	readonly longAnswers: LongAnswers;
};

/** Answers with the source of a mail. Its file is open while a slice is read: an answer that nobody reads holds none. */
export async function downloadSource(ctx: Context, download: SourceDownload): Promise<void> {
	const {name, size, read, owner, longAnswers} = download;
	ctx.respond = false;
	ctx.status = 200;
	describeDownload(ctx, {filename: name, type: 'message/rfc822', size});
	await longAnswers.send(owner, ctx.res, slicesOf(size, read));
}

function* slicesOf(size: number, read: SourceDownload['read']): Generator<AnswerPart> {
	for (let start = 0; start < size; start += sliceLength) {
		yield async () => bytePieces(await read(start, start + sliceLength - 1));
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
	readonly longAnswers: LongAnswers;
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

		return inline?.pieces ?? bytePieces(bytes);
	};
	await longAnswers.send(owner, ctx.res, [part]);
}

/** The media type if it is one (RFC 9110, section 8.3.1), without parameters. */
function safeMediaType(type: string): string {
	const token = "[\\w!#$%&'*+.^`|~-]+";
	return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}
