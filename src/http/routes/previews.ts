import type {Context} from 'koa';
import type {PreviewBody} from '../../contract/messages.js';
import {AppError} from '../../domain/errors.js';
import {keyHash, userByKey} from '../auth.js';
import {downloadAttachment, downloadSource} from '../download.js';
import type {LongAnswers} from '../long-answers.js';
import {answerPage, describePage, prefersPage} from '../pages.js';
import {bytePieces} from '../pieces.js';
import {escapeHtml} from '../present/html-page.js';
import {type HtmlUse, htmlPolicy, previewPage} from '../present/previews.js';
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
		const url = `${ctx.protocol}://${ctx.host}/v1/previews/${token}`;
		return {url, expires_at: expiresAt.toISOString()} satisfies PreviewBody;
	});

	const pages = routesFor(async () => undefined);
	pages.get('/previews/:token', async ({ctx, params: {token}}) => {
		const {path, query} = ctx;
		const readSource = async (end: number) => previews.raw(token, {start: 0, end});
		const options = {path, view: query['view'], remote: query['remote'] === '1', readSource};
		await orGone(ctx, async () => {
			const owner = await previews.ownerOf(token);
			show(ctx);
			await longAnswers.send(owner, ctx.res, [async () => previewPage(await previews.read(token), options)]);
		});
	});

	pages.get('/previews/:token/html', async ({ctx, params: {token}}) => {
		await orGone(ctx, async () => {
			const owner = await previews.ownerOf(token);
			show(ctx, htmlPolicy(useOf(ctx)));
			await longAnswers.send(owner, ctx.res, [async () => bytePieces(await previews.document(token))]);
		});
	});

	pages.get('/previews/:token/raw', async ({ctx, params: {token}}) => {
		await orGone(ctx, async () => {
			const {id, size} = await previews.message(token);
			const read = async (start: number, end: number) => previews.raw(token, {start, end});
			const owner = await previews.ownerOf(token);
			await downloadSource(ctx, {name: `${id}.eml`, size, read, owner, longAnswers});
		});
	});

	pages.get('/previews/:token/attachments/:attachmentId', async ({ctx, params: {token, attachmentId}}) => {
		const read = async () => previews.attachment(token, attachmentId);
		await orGone(ctx, async () => {
			await downloadAttachment(ctx, {read, owner: await previews.ownerOf(token), longAnswers});
		});
	});
}

/** Begins the answer, which is sent without Koa. */
function show(ctx: Context, policy?: string): void {
	describePage(ctx, policy);
	ctx.respond = false;
	ctx.status = 200;
}

function useOf({query}: Context): HtmlUse {
	if (query['measured'] === '1') {
		return 'measured';
	}

	return query['remote'] === '1' ? 'shown with images' : 'shown';
}

/** Tells a browser with a page of its own that a link opens nothing any more. */
async function orGone(ctx: Context, answer: () => Promise<void>): Promise<void> {
	try {
		await answer();
	} catch (error) {
		if (!(error instanceof AppError && error.code === 'not_found') || ctx.headerSent || !prefersPage(ctx)) {
			throw error;
		}

		ctx.respond = true;
		answerPage(
			ctx,
			404,
			'This mail is not here any more',
			`<main><h1>This mail is not here any more</h1><p>${escapeHtml(error.message)}</p></main>`,
		);
	}
}
