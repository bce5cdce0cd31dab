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
import {pathParam, readQuery} from '../input.js';
import type {Polls, TryAnswer} from '../polls.js';
import {fullMessageBody, messageListJson, missBody} from '../present/messages.js';
import {listMessages, listMisses, readMessage} from '../schemas/messages.js';
import type {Services} from '../services.js';

/** A page of so much mail is put together before it is sent, which costs less than a stream. */
const maxWholeBytes = 256 * 1024;

const list = '/inboxes/:inboxId/messages';
const single = `${list}/:messageId`;

export function addMessageRoutes(router: Router, services: Services, polls: Polls): void {
	const {credentials, messages} = services;
	router.get(list, async ctx => {
		const user = await userByKey(ctx, credentials);
		const {page, limit, wait, ...given} = readQuery(ctx, listMessages);
		const inboxId = pathParam(ctx, 'inboxId');
		const ask: Ask = {inboxId, query: messageQuery(given), page: {page, limit}};
		const attempt = listAttempt(services, ctx.res, ask);
		await polls.hold(ctx.res, {topics: [inboxId, user.id], seconds: wait, attempt});
		ctx.respond = false;
	});

	router.get('/inboxes/:inboxId/misses', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {limit, ...given} = readQuery(ctx, listMisses);
		const misses = await messages.misses(user, pathParam(ctx, 'inboxId'), messageQuery(given), limit);
		ctx.body = {misses: misses.map(missBody)};
	});

	router.get(single, async ctx => {
		const user = await userByKey(ctx, credentials);
		const {link} = readQuery(ctx, readMessage);
		if (link !== undefined) {
			parsePattern(link, {field: 'link'});
		}

		const read = await messages.read(user, pathParam(ctx, 'inboxId'), pathParam(ctx, 'messageId'), link);
		ctx.body = fullMessageBody(read);
	});

	router.delete(single, async ctx => {
		const user = await userByKey(ctx, credentials);
		await messages.delete(user, pathParam(ctx, 'inboxId'), pathParam(ctx, 'messageId'));
		ctx.status = 204;
	});

	router.get(`${single}/raw`, async ctx => {
		const user = await userByKey(ctx, credentials);
		const {message, source} = await messages.raw(user, pathParam(ctx, 'inboxId'), pathParam(ctx, 'messageId'));
		download(ctx, {filename: `${message.id}.eml`, type: 'message/rfc822', size: message.size, body: source});
	});

	router.get(`${single}/attachments/:attachmentId`, async ctx => {
		const user = await userByKey(ctx, credentials);
		const [inboxId, messageId] = [pathParam(ctx, 'inboxId'), pathParam(ctx, 'messageId')];
		downloadAttachment(ctx, await messages.attachment(user, inboxId, messageId, pathParam(ctx, 'attachmentId')));
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
			await sendList(response, rows, message => messages.contentOf(message));
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
