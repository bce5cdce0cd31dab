import type {Context} from 'koa';
import {htmlPage, pagePolicy} from './present/html-page.js';

/** Says of an answer that it is HTML, for which this policy holds. */
export function describePage(ctx: Context, policy = pagePolicy): void {
	ctx.set('Content-Security-Policy', policy);
	ctx.set('Referrer-Policy', 'no-referrer');
	// What a link opens cannot reach back to the page.
	ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
	ctx.set('X-DNS-Prefetch-Control', 'off');
	ctx.type = 'text/html; charset=utf-8';
}

/** Whether who asks would rather have a page than JSON, as browsers would. */
export function prefersPage(ctx: Context): boolean {
	ctx.vary('Accept');
	return ctx.accepts('application/json', 'text/html') === 'text/html';
}

/** Answers with a short page, whose content is HTML. */
export function answerPage(ctx: Context, status: number, title: string, content: string): void {
	const pieces = htmlPage(title, [() => content]);
	describePage(ctx);
	ctx.status = status;
	ctx.body = pieces.map(piece => piece()).join('\n');
}
