import type {Context} from 'koa';
import type {z} from 'zod';
import {AppError} from '../../domain/errors.js';
import {keyHash} from '../auth.js';
import {downloadAttachment, downloadSource} from '../download.js';
import type {LongAnswers} from '../long-answers.js';
import {messageOperations} from '../operations/messages.js';
import {previewOperations} from '../operations/previews.js';
import {answerPage, describePage, prefersPage} from '../pages.js';
import {bytePieces} from '../pieces.js';
import {escapeHtml} from '../present/html-page.js';
import {type HtmlUse, htmlPolicy, previewPage} from '../present/previews.js';
import type {Routes} from '../routing.js';
import type {readPreviewHtml} from '../schemas/previews.js';
import type {Services} from '../services.js';

/** Pages for a browser. The token in their path is the only credential: other sites must not learn it. */
export function addPreviewRoutes(routes: Routes, {previews}: Services, longAnswers: LongAnswers): void {
	routes.add(messageOperations.preview, async ({ctx, user, params}) => {
		const {token, expiresAt} = await previews.create(user, keyHash(ctx), params.inboxId, params.messageId);
		ctx.set('Location', `/v1/previews/${token}`);
		const url = `${ctx.protocol}://${ctx.host}/v1/previews/${token}`;
		return {url, expires_at: expiresAt.toISOString()};
	});

	routes.add(previewOperations.page, async ({ctx, params: {token}, query}) => {
		const {path} = ctx;
		const readSource = async (end: number) => previews.raw(token, {start: 0, end});
		const options = {path, view: query.view, remote: query.remote === '1', readSource};
		await orGone(ctx, async () => {
			const owner = await previews.ownerOf(token);
			show(ctx);
			await longAnswers.send(owner, ctx.res, [async () => previewPage(await previews.read(token), options)]);
		});
	});

	routes.add(previewOperations.html, async ({ctx, params: {token}, query}) => {
		await orGone(ctx, async () => {
			const owner = await previews.ownerOf(token);
			show(ctx, htmlPolicy(useOf(query)));
			await longAnswers.send(owner, ctx.res, [async () => bytePieces(await previews.document(token))]);
		});
	});

	routes.add(previewOperations.raw, async ({ctx, params: {token}}) => {
		await orGone(ctx, async () => {
			const {id, size} = await previews.message(token);
			const read = async (start: number, end: number) => previews.raw(token, {start, end});
			const owner = await previews.ownerOf(token);
			await downloadSource(ctx, {name: `${id}.eml`, size, read, owner, longAnswers});
		});
	});

	routes.add(previewOperations.attachment, async ({ctx, params: {token, attachmentId}, query}) => {
		const read = async () => previews.attachment(token, attachmentId);
		await orGone(ctx, async () => {
			const isInline = query.inline === '1';
			await downloadAttachment(ctx, {read, isInline, owner: await previews.ownerOf(token), longAnswers});
		});
	});
}

/** Begins the answer, which is sent without Koa. */
function show(ctx: Context, policy?: string): void {
	describePage(ctx, policy);
	ctx.respond = false;
	ctx.status = 200;
}

function useOf(query: z.output<typeof readPreviewHtml>): HtmlUse {
	if (query.measured === '1') {
		return 'measured';
	}

	return query.remote === '1' ? 'shown with images' : 'shown';
}

/** Answers a browser with an HTML page if the link has expired or the message was deleted. */
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
			'Message not available',
			`<main><h1>Message not available</h1><p>${escapeHtml(error.message)}</p></main>`,
		);
	}
}
