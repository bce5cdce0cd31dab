import type {Readable} from 'node:stream';
import type {Context} from 'koa';

/**
 * Answers with bytes that somebody else wrote: as a file to keep (RFC 6266), never as a page of this origin. A browser
 * that shows it all the same runs nothing and loads nothing.
 */
export function download(
	ctx: Context,
	{
		filename,
		type,
		size,
		body,
	}: {
		readonly filename: string;
		readonly type: string;
		readonly size: number;
		readonly body: Readable | Buffer;
	},
): void {
	ctx.attachment(filename);
	ctx.set('Content-Security-Policy', "sandbox; default-src 'none'");
	ctx.body = body;
	ctx.set('Content-Type', type);
	ctx.length = size;
}

/** The media type if it is one (RFC 9110, section 8.3.1), without parameters. */
export function safeMediaType(type: string): string {
	const token = "[\\w!#$%&'*+.^`|~-]+";
	return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}
