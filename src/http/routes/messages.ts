import type {ServerResponse} from 'node:http';
import type {z} from 'zod';
import type {MessageBody, MissesBody} from '../../contract/messages.js';
import type {Page} from '../../contract/page.js';
import type {MessageQuery} from '../../domain/filter.js';
import type {Message} from '../../domain/message.js';
import type {User} from '../../domain/user.js';
import type {Messages} from '../../services/messages/messages.js';
import {needsSearch} from '../../services/messages/search.js';
import type {SearchProgress} from '../../services/messages/search-progress.js';
import {userByKey} from '../auth.js';
import {downloadAttachment, downloadSource} from '../download.js';
import {readQuery} from '../input.js';
import {answerJson, beginJson, listParts} from '../json-answer.js';
import {left} from '../left.js';
import {LongAnswers} from '../long-answers.js';
import {jsonPieces} from '../pieces.js';
import type {Polls, TryAnswer} from '../polls.js';
import {faultHitBody} from '../present/faults.js';
import {fullMessageBody, messageBody, missBody} from '../present/messages.js';
import type {RoutesFor} from '../routing.js';
import {listMessages, listMisses, readMessage} from '../schemas/messages.js';
import type {Services} from '../services.js';

/** An answer about so much mail is put together before it is sent, which costs less than turns. */
const maxWholeBytes = 256 * 1024;

/** How long a reader has for one turn of a download. */
const sourceTurnMs = 100;

const single = '/inboxes/:inboxId/messages/:messageId';

/** What message routes answer with, besides what they are asked for. */
export type MessageAnswers = {readonly polls: Polls; readonly longAnswers: LongAnswers};

export function addMessageRoutes(routesFor: RoutesFor, services: Services, {polls, longAnswers}: MessageAnswers): void {
	const {credentials, inboxes, messages, refusals, faults} = services;
	// Little work is lost with a turn of theirs: it need not wait long for a reader.
	const sources = new LongAnswers(sourceTurnMs);
	const routes = routesFor(ctx => userByKey(ctx, credentials));
	routes.get('/inboxes/:inboxId/messages', async ({ctx, user, params}) => {
		const {page, limit, wait, ...given} = readQuery(ctx, listMessages);
		const query = messageQuery(given);
		await messages.check(user, query);
		const {id: inboxId} = await inboxes.visible(user, params.inboxId);
		const ask: Ask = {inboxId, query, page: {page, limit}};
		const attempt = listAttempt(services, longAnswers, ctx.res, ask);
		await polls.hold(ctx.res, {userId: user.id, topics: [inboxId, user.id], seconds: wait, attempt});
		ctx.respond = false;
	});

	routes.delete('/inboxes/:inboxId/messages', async ({ctx, user, params}) => {
		await messages.deleteAll(user, params.inboxId);
		ctx.status = 204;
	});

	routes.get('/inboxes/:inboxId/misses', async ({ctx, user, params}) => {
		const {limit, since, ...given} = readQuery(ctx, listMisses);
		const query = messageQuery(given);
		await messages.check(user, query);
		const misses = await messages.misses(user, params.inboxId, query, limit, left(ctx.res));
		const from = since && new Date(since).toISOString();
		const refused = await refusals.of(user, from);
		const hits = (await faults.hitsSince(user, params.inboxId, from)).map(faultHitBody);
		const make = () => ({misses: misses.map(missBody), refusals: refused, hits}) satisfies MissesBody;
		return answerJson(ctx, {owner: user.id, longAnswers, make});
	});

	routes.get(single, async ({ctx, user, params}) => {
		const {link} = readQuery(ctx, readMessage);
		if (link !== undefined) {
			await messages.checkPattern(user, link, 'link');
		}

		const {inboxId, id, size} = await messages.get(user, params.inboxId, params.messageId);
		const read = async () => fullMessageBody(await messages.read(user, inboxId, id, link));
		if (size <= maxWholeBytes) {
			return read();
		}

		ctx.respond = false;
		beginJson(ctx.res);
		return longAnswers.send(user.id, ctx.res, [async () => jsonPieces(await read())]);
	});

	routes.delete(single, async ({ctx, user, params}) => {
		await messages.delete(user, params.inboxId, params.messageId);
		ctx.status = 204;
	});

	routes.get(`${single}/raw`, async ({ctx, user, params}) => {
		const {inboxId, id, size} = await messages.get(user, params.inboxId, params.messageId);
		const read = async (start: number, end: number) => messages.raw(user, inboxId, id, {start, end});
		await downloadSource(ctx, {name: `${id}.eml`, size, read, owner: user.id, longAnswers: sources});
	});

	routes.get(`${single}/attachments/:attachmentId`, async ({ctx, user, params}) => {
		const {inboxId, messageId, attachmentId} = params;
		const read = async () => messages.attachment(user, inboxId, messageId, attachmentId);
		await downloadAttachment(ctx, {read, owner: user.id, longAnswers});
	});
}

/** What a query asks of messages. */
function messageQuery({
	after,
	smtp_user: smtpUser,
	...texts
}: Omit<z.output<typeof listMisses>, 'limit' | 'since'>): MessageQuery {
	const isTime = after !== undefined && /^\d{4}-/.test(after);
	return {...texts, smtpUser, ...(isTime ? {since: new Date(after).toISOString()} : {after})};
}

/** What a list is asked for. */
type Ask = {readonly inboxId: string; readonly query: MessageQuery; readonly page: Page};

/** Who asks is identified at each attempt: a key can be revoked in between. It must not hold what Koa made for the request. */
function listAttempt(
	{credentials, messages}: Services,
	longAnswers: LongAnswers,
	response: ServerResponse,
	ask: Ask,
): TryAnswer {
	const exchange = {req: response.req, res: response};
	const progress: SearchProgress = needsSearch(ask.query) ? {signal: left(response)} : {};
	return async isLast => {
		const user = await userByKey(exchange, credentials);
		const rows = await messages.list(user, ask.inboxId, ask.query, ask.page, progress);
		if (rows.length === 0 && !isLast) {
			return false;
		}

		beginJson(response);
		const bodyOf = async (message: Message) => rowOf(messages, user, message);
		if (rows.reduce((sum, {size}) => sum + size, 0) > maxWholeBytes) {
			await longAnswers.send(user.id, response, listParts(rows, bodyOf));
		} else {
			const bodies = (await Promise.all(rows.map(bodyOf))).filter(body => body !== undefined);
			const whole = JSON.stringify(bodies);
			response.setHeader('Content-Length', Buffer.byteLength(whole));
			response.end(whole);
		}

		return true;
	};
}

/** Undefined when the message was deleted since. */
async function rowOf(messages: Messages, user: User, message: Message): Promise<MessageBody | undefined> {
	const read = await messages.withContent(user, message);
	return read && messageBody(read);
}
