import type {Router} from '@koa/router';
import type {Context} from 'koa';
import type {PreviewBody} from '../../contract/messages.js';
import {userByKey} from '../auth.js';
import {downloadAttachment} from '../download.js';
import {htmlPolicy, pagePolicy, previewHtml, previewPage} from '../present/previews.js';
import {routesFor} from '../routing.js';
import type {Services} from '../services.js';

/** Pages for a browser. Their address is what opens them, so that no other site must learn it. */
export function addPreviewRoutes(router: Router, {credentials, previews}: Services): void {
	const routes = routesFor(router, ctx => userByKey(ctx, credentials));
	routes.create('/inboxes/:inboxId/messages/:messageId/preview', async ({ctx, user, params}) => {
		const {token, expiresAt} = await previews.create(user, params.inboxId, params.messageId);
		const url = `http://${ctx.host}/v1/previews/${token}`;
		return {url, expires_at: expiresAt.toISOString()} satisfies PreviewBody;
	});

	const pages = routesFor(router, async () => {});
	pages.get('/previews/:token', async ({ctx, params}) => {
		const page = previewPage(await previews.read(params.token), {path: ctx.path, remote: isRemoteAsked(ctx)});
		show(ctx, pagePolicy, page);
	});

	pages.get('/previews/:token/html', async ({ctx, params}) => {
		show(ctx, htmlPolicy(isRemoteAsked(ctx)), previewHtml(await previews.readWithImages(params.token)));
	});

	pages.get('/previews/:token/attachments/:attachmentId', async ({ctx, params}) => {
		downloadAttachment(ctx, await previews.attachment(params.token, params.attachmentId));
	});
}

function show(ctx: Context, policy: string, html: string): void {
	ctx.set('Content-Security-Policy', policy);
	ctx.set('Referrer-Policy', 'no-referrer');
	// What a link opens cannot reach back to the page.
	ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
	ctx.set('X-DNS-Prefetch-Control', 'off');
	ctx.type = 'text/html; charset=utf-8';
	ctx.body = html;
}

function isRemoteAsked(ctx: Context): boolean {
	return ctx.query['remote'] === '1';
}
