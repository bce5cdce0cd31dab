import type {Router} from '@koa/router';
import type {Context} from 'koa';
import type {PreviewBody} from '../../contract/messages.js';
import {userByKey} from '../auth.js';
import {downloadAttachment} from '../download.js';
import {pathParam} from '../input.js';
import {htmlPolicy, pagePolicy, previewHtml, previewPage} from '../present/previews.js';
import type {Services} from '../services.js';

const page = '/previews/:token';

/** Pages for a browser. Their address is what opens them, so that no other site must learn it. */
export function addPreviewRoutes(router: Router, {credentials, previews}: Services): void {
	router.post('/inboxes/:inboxId/messages/:messageId/preview', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {token, expiresAt} = await previews.create(user, pathParam(ctx, 'inboxId'), pathParam(ctx, 'messageId'));
		const url = `http://${ctx.host}/v1/previews/${token}`;
		ctx.status = 201;
		ctx.body = {url, expires_at: expiresAt.toISOString()} satisfies PreviewBody;
	});

	router.get(page, async ctx => {
		const read = await previews.read(pathParam(ctx, 'token'));
		show(ctx, pagePolicy, previewPage(read, {path: ctx.path, remote: isRemoteAsked(ctx)}));
	});

	router.get(`${page}/html`, async ctx => {
		const preview = await previews.readWithImages(pathParam(ctx, 'token'));
		show(ctx, htmlPolicy(isRemoteAsked(ctx)), previewHtml(preview));
	});

	router.get(`${page}/attachments/:attachmentId`, async ctx => {
		downloadAttachment(ctx, await previews.attachment(pathParam(ctx, 'token'), pathParam(ctx, 'attachmentId')));
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
