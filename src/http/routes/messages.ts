import type {ServerResponse} from 'node:http';
import {Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import {pipeline} from 'node:stream/promises';
import type {Router} from '@koa/router';
import type {z} from 'zod';
import type {Page} from '../../contract/page.js';
import {asksForContent, conditionsOf, contentConditionsOf, type MessageQuery} from '../../domain/filter.js';
import type {Content, Message} from '../../domain/message.js';
import {parsePattern} from '../../domain/pattern.js';
import {SearchProgress} from '../../services/messages/search.js';
import {userByKey} from '../auth.js';
import {download, downloadAttachment} from '../download.js';
import {readQuery} from '../input.js';
import type {Polls, TryAnswer} from '../polls.js';
import {fullMessageBody, messageListJson, missBody} from '../present/messages.js';
import {routesFor} from '../routing.js';
import {listMessages, listMisses, readMessage} from '../schemas/messages.js';
import type {Services} from '../services.js';

/** A page of so much mail is put together before it is sent, which costs less than a stream. */
const maxWholeBytes = 256 * 1024;

const single = '/inboxes/:inboxId/messages/:messageId';

export function addMessageRoutes(router: Router, services: Services, polls: Polls): void {
	const {credentials, messages} = services;
	const routes = routesFor(router, ctx => userByKey(ctx, credentials));
	routes.get('/inboxes/:inboxId/messages', async ({ctx, user, params: {inboxId}}) => {
		const {page, limit, wait, ...given} = readQuery(ctx, listMessages);
		const ask: Ask = {inboxId, query: messageQuery(given), page: {page, limit}};
		const attempt = listAttempt(services, ctx.res, ask);
		await polls.hold(ctx.res, {topics: [inboxId, user.id], seconds: wait, attempt});
		ctx.respond = false;
	});

	routes.get('/inboxes/:inboxId/misses', async ({ctx, user, params}) => {
		const {limit, ...given} = readQuery(ctx, listMisses);
		const misses = await messages.misses(user, params.inboxId, messageQuery(given), limit);
		return {misses: misses.map(missBody)};
	});

	routes.get(single, async ({ctx, user, params}) => {
		const {link} = readQuery(ctx, readMessage);
		if (link !== undefined) {
			parsePattern(link, {field: 'link'});
		}

		return fullMessageBody(await messages.read(user, params.inboxId, params.messageId, link));
	});

	routes.delete(single, async ({ctx, user, params}) => {
		await messages.delete(user, params.inboxId, params.messageId);
		ctx.status = 204;
	});

	routes.get(`${single}/raw`, async ({ctx, user, params}) => {
		const {message, source} = await messages.raw(user, params.inboxId, params.messageId);
		download(ctx, {filename: `${message.id}.eml`, type: 'message/rfc822', size: message.size, body: source});
	});

	routes.get(`${single}/attachments/:attachmentId`, async ({ctx, user, params}) => {
		const {inboxId, messageId, attachmentId} = params;
		downloadAttachment(ctx, await messages.attachment(user, inboxId, messageId, attachmentId));
	});
}

/** What a query asks of messages. Throws `invalid_input` naming a pattern that cannot be used. */
function messageQuery({after, ...texts}: Omit<z.output<typeof listMisses>, 'limit'>): MessageQuery {
	const query = {...texts, ...(after?.includes('T') ? {since: new Date(after).toISOString()} : {after})};
	conditionsOf(query);
	contentConditionsOf(query);
	return query;
}

/** What a list is asked for. */
type Ask = {readonly inboxId: string; readonly query: MessageQuery; readonly page: Page};

/** Who asks is identified at each attempt: a key can be revoked in between. It must not hold what Koa made for the request. */
function listAttempt({credentials, messages}: Services, response: ServerResponse, ask: Ask): TryAnswer {
	const exchange = {req: response.req, res: response};
	const progress = asksForContent(ask.query) ? searchProgress(response) : undefined;
	return async isLast => {
		const user = await userByKey(exchange, credentials);
		const rows = await messages.list(user, ask.inboxId, ask.query, ask.page, progress);
		if (rows.length > 0 || isLast) {
			await sendList(response, rows, message => messages.contentOf(user, message));
			return true;
		}

		return false;
	};
}

/** What the looks of one request have found out; it ends when the client leaves. */
function searchProgress(response: ServerResponse): SearchProgress {
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	return new SearchProgress(gone.signal);
}

async function sendList(
	response: ServerResponse,
	rows: readonly Message[],
	contentOf: (message: Message) => Promise<Content | undefined>,
): Promise<void> {
	const json = messageListJson(rows, contentOf);
	response.statusCode = 200;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
	if (rows.reduce((sum, {size}) => sum + size, 0) > maxWholeBytes) {
		await pipeline(Readable.from(json, {objectMode: false}), response);
		return;
	}

	// Side by side; they are kept until the page is put together.
	await Promise.all(rows.map(contentOf));
	const whole = await text(json);
	response.setHeader('Content-Length', Buffer.byteLength(whole));
	response.end(whole);
}
