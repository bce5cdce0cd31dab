import type {Context} from 'koa';
import type {PreviewBody} from '../../contract/messages.js';
import {keyHash, userByKey} from '../auth.js';
import {downloadAttachment} from '../download.js';
import type {LongAnswers} from '../long-answers.js';
import {bytePieces} from '../pieces.js';
import {htmlPolicy, pagePolicy, previewPage} from '../present/previews.js';
import type {RoutesFor} from '../routing.js';
import type {Services} from '../services.js';

/** Pages for a browser. Their address is what opens them, so that no other site must learn it. */
export function addPreviewRoutes(
	routesFor: RoutesFor,
	{credentials, previews}: Services,
	longAnswers: LongAnswers,
): void {
	const routes = routesFor(ctx => userByKey(ctx, credentials));
	routes.create('/inboxes/:inboxId/messages/:messageId/preview', async ({ctx, user, params}) => {
		const {token, expiresAt} = await previews.create(user, keyHash(ctx), params.inboxId, params.messageId);
		const url = `http://${ctx.host}/v1/previews/${token}`;
		return {url, expires_at: expiresAt.toISOString()} satisfies PreviewBody;
	});

	const pages = routesFor(async () => undefined);
	pages.get('/previews/:token', async ({ctx, params: {token}}) => {
		const options = {path: ctx.path, remote: isRemoteAsked(ctx)};
		const owner = await previews.ownerOf(token);
		show(ctx, pagePolicy);
		await longAnswers.send(owner, ctx.res, [async () => previewPage(await previews.read(token), options)]);
	});

	pages.get('/previews/:token/html', async ({ctx, params: {token}}) => {
		const owner = await previews.ownerOf(token);
		show(ctx, htmlPolicy(isRemoteAsked(ctx)));
		await longAnswers.send(owner, ctx.res, [async () => bytePieces(await previews.document(token))]);
	});

	pages.get('/previews/:token/attachments/:attachmentId', async ({ctx, params: {token, attachmentId}}) => {
		const read = async () => previews.attachment(token, attachmentId);
		await downloadAttachment(ctx, {read, owner: await previews.ownerOf(token), longAnswers});
	});
}

/** Begins the answer, which is sent without Koa. */
function show(ctx: Context, policy: string): void {
	ctx.set('Content-Security-Policy', policy);
	ctx.set('Referrer-Policy', 'no-referrer');
	// What a link opens cannot reach back to the page.
	ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
	ctx.set('X-DNS-Prefetch-Control', 'off');
	ctx.type = 'text/html; charset=utf-8';
	ctx.respond = false;
	ctx.status = 200;
}

function isRemoteAsked(ctx: Context): boolean {
	return ctx.query['remote'] === '1';
}
