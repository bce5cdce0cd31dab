import type {Context} from 'koa';
import {z} from 'zod';
import {previewSchema} from '../../contract/messages.js';
import {AppError} from '../../domain/errors.js';
import {downloadAttachment, downloadSource} from '../pages/download.js';
import {answerPage, describePage, escapeHtml, prefersPage} from '../pages/html-page.js';
import {type HtmlPurpose, htmlPolicy, previewPage} from '../pages/preview.js';
import {byteChunks, type ResponseQueue} from '../server/responses.js';
import type {Services} from '../services.js';
import {keyHash} from './auth.js';
import {messagePath} from './messages.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

const remoteText = '`1` loads remote images (default: they are blocked).';

/** Flag that is set by `1`; other values are ignored. */
const flag = z.string().optional().catch(undefined);

const readPreview = z.object({
	view: z
		.string()
		.optional()
		.catch(undefined)
		.describe('View to show: `html`, `text`, `headers` or `source` (default: the HTML, or the text if there is none).'),
	remote: flag.describe(remoteText),
});

const readPreviewHtml = z.object({
	remote: flag.describe(remoteText),
	measured: flag.describe('`1` allows the surrounding page to measure the height of the content.'),
});

const readPreviewAttachment = z.object({
	inline: flag.describe('`1` shows an image or a PDF in the browser (default: download).'),
});

/** Creates the link to the pages below. Listed with the messages in the OpenAPI document. */
export const createPreviewOperation = {
	route: `POST ${messagePath}/preview`,
	id: 'createPreview',
	summary: 'Create a browser link to a message',
	description: 'Anyone who has the link can read the message until the link expires.',
	command: 'tinbox messages open signup latest',
	status: 201,
	response: previewSchema,
	setsLocation: true,
} as const satisfies Operation;

const page = 'text/html';
const isMissingShown = true;

/** Pages for a browser. The token in the path is the only credential. */
export const previewOperations = {
	page: {
		route: 'GET /previews/:token',
		id: 'showPreview',
		summary: 'Show a message in the browser',
		caller: 'anybody',
		query: readPreview,
		media: {types: [page], description: 'Page that shows the message.', isMissingShown},
	},
	html: {
		route: 'GET /previews/:token/html',
		id: 'showPreviewHtml',
		summary: 'Show the HTML of a message',
		caller: 'anybody',
		query: readPreviewHtml,
		media: {
			types: [page],
			description: 'HTML of the mail for an iframe. It cannot run scripts or load remote content.',
			isMissingShown,
		},
	},
	raw: {
		route: 'GET /previews/:token/raw',
		id: 'getPreviewSource',
		summary: 'Download the source of a previewed message',
		caller: 'anybody',
		media: {types: ['message/rfc822'], description: 'Source of the message, byte for byte.', isMissingShown},
	},
	attachment: {
		route: 'GET /previews/:token/attachments/:attachmentId',
		id: 'getPreviewAttachment',
		summary: 'Download an attachment of a previewed message',
		caller: 'anybody',
		query: readPreviewAttachment,
		media: {types: ['*/*'], description: 'Content of the attachment.', isMissingShown},
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addPreviewRoutes(
	routes: Routes,
	{messages, previews}: Pick<Services, 'messages' | 'previews'>,
	responseQueue: ResponseQueue,
): void {
	routes.add(createPreviewOperation, async ({ctx, user, params}) => {
		const {token, expiresAt} = await previews.create(user, keyHash(ctx), params.inboxId, params.messageId);
		ctx.set('Location', `/v1/previews/${token}`);
		const url = `${ctx.protocol}://${ctx.host}/v1/previews/${token}`;
		return {url, expires_at: expiresAt.toISOString()};
	});

	routes.add(previewOperations.page, async ({ctx, params: {token}, query}) => {
		const {path} = ctx;
		const readSource = async (end: number) => messages.raw(...(await previews.open(token)), {start: 0, end});
		const read = async () => messages.read(...(await previews.open(token)));
		const options = {path, view: query.view, remote: query.remote === '1', readSource};
		await orMissingPage(ctx, async () => {
			const [{id: owner}] = await previews.open(token);
			beginPage(ctx);
			await responseQueue.send(owner, ctx.res, [async () => previewPage(await read(), options)]);
		});
	});

	routes.add(previewOperations.html, async ({ctx, params: {token}, query}) => {
		await orMissingPage(ctx, async () => {
			const [{id: owner}] = await previews.open(token);
			beginPage(ctx, htmlPolicy(useOf(query)));
			const part = async () => byteChunks(await messages.document(...(await previews.open(token))));
			await responseQueue.send(owner, ctx.res, [part]);
		});
	});

	routes.add(previewOperations.raw, async ({ctx, params: {token}}) => {
		await orMissingPage(ctx, async () => {
			const names = await previews.open(token);
			const {id, size} = await messages.get(...names);
			const read = async (start: number, end: number) => messages.raw(...(await previews.open(token)), {start, end});
			await downloadSource(ctx, {name: `${id}.eml`, size, read, owner: names[0].id, responseQueue});
		});
	});

	routes.add(previewOperations.attachment, async ({ctx, params: {token, attachmentId}, query}) => {
		const read = async () => messages.attachment(...(await previews.open(token)), attachmentId);
		await orMissingPage(ctx, async () => {
			const isInline = query.inline === '1';
			const [{id: owner}] = await previews.open(token);
			await downloadAttachment(ctx, {read, isInline, owner, responseQueue});
		});
	});
}

/** Begins a response that is sent without Koa. */
function beginPage(ctx: Context, policy?: string): void {
	describePage(ctx, policy);
	ctx.respond = false;
	ctx.status = 200;
}

function useOf(query: z.output<typeof readPreviewHtml>): HtmlPurpose {
	if (query.measured === '1') {
		return 'measured';
	}

	return query.remote === '1' ? 'shown with images' : 'shown';
}

/** Answers a browser with an HTML page if the link has expired or the message was deleted. */
async function orMissingPage(ctx: Context, answer: () => Promise<void>): Promise<void> {
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
