import type {Context} from 'koa';
import type {Attachment} from '../domain/message.js';
import {safeFileName} from '../lib/sanitize.js';
import type {LongAnswers} from './long-answers.js';
import {bytePieces} from './pieces.js';

type Download = {readonly filename: string; readonly type: string; readonly bytes: Buffer};

/**
 * Says of an answer that it is bytes which somebody else wrote: a file to keep (RFC 6266), never a page of this origin. A
 * browser that shows it all the same runs nothing and loads nothing.
 */
function describeDownload(ctx: Context, {filename, type, bytes}: Download): void {
	ctx.attachment(filename);
	ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
	ctx.set('Content-Type', type);
	ctx.length = bytes.length;
}

type DownloadAnswer = {
	/** Reads it for each turn: one that nobody reads holds neither bytes nor an open file. */
	readonly read: () => Promise<Download>;
	readonly owner: string;
	readonly longAnswers: LongAnswers;
};

/** Answers with a download, in the turns of its owner. */
export async function sendDownload(ctx: Context, {read, owner, longAnswers}: DownloadAnswer): Promise<void> {
	ctx.respond = false;
	const part = async () => {
		const download = await read();
		if (!ctx.headerSent) {
			ctx.status = 200;
			describeDownload(ctx, download);
		}

		return bytePieces(download.bytes);
	};
	await longAnswers.send(owner, ctx.res, [part]);
}

/** An attachment under the name and the type that the mail gives it, as far as these are safe. */
export function attachmentDownload({attachment, bytes}: {attachment: Attachment; bytes: Buffer}): Download {
	return {
		filename: safeFileName(attachment.filename, `attachment-${attachment.id}`),
		type: safeMediaType(attachment.contentType),
		bytes,
	};
}

/** The media type if it is one (RFC 9110, section 8.3.1), without parameters. */
function safeMediaType(type: string): string {
	const token = "[\\w!#$%&'*+.^`|~-]+";
	return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}
