import type {ServerResponse} from 'node:http';
import type {z} from 'zod';
import type {Page, RowFields} from '../../contract/constants.js';
import type {listMessagesSchema} from '../../contract/messages.js';
import type {User} from '../../domain/accounts/user.js';
import type {MessageQuery} from '../../domain/mail/filter.js';
import type {Message} from '../../domain/mail/message.js';
import type {Messages} from '../../services/messages/messages.js';
import {needsSearch, type SearchProgress} from '../../services/messages/search.js';
import {userByKey} from '../auth.js';
import {downloadAttachment, downloadSource} from '../download.js';
import {answerJson, beginJson, listParts} from '../json-answer.js';
import {left} from '../left.js';
import {LongAnswers} from '../long-answers.js';
import {messageOperations} from '../operations/messages.js';
import {jsonPieces} from '../pieces.js';
import type {Polls, TryAnswer} from '../polls.js';
import {faultHitBody} from '../present/faults.js';
import {
	fullMessageBody,
	messageBody,
	messageEnvelopeBody,
	messageRequestBody,
	messageSourceBody,
	messageSummaryBody,
	missBody,
} from '../present/messages.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

/** An answer about so much mail is put together before it is sent, which costs less than turns. */
const maxWholeBytes = 256 * 1024;

/** How long a reader has for one turn of a download. */
const sourceTurnMs = 100;

/** What message routes answer with, besides what they are asked for. */
export type MessageAnswers = {readonly polls: Polls; readonly longAnswers: LongAnswers};

export function addMessageRoutes(routes: Routes, services: Services, {polls, longAnswers}: MessageAnswers): void {
	const {inboxes, messages, refusals, faults} = services;
	// Little work is lost with a turn of theirs: it need not wait long for a reader.
	const sources = new LongAnswers(sourceTurnMs);
	routes.add(messageOperations.list, async ({ctx, user, params, query: asked}) => {
		const {page, limit, wait, fields, ...given} = asked;
		const query = messageQuery(given);
		await messages.check(user, query);
		const {id: inboxId} = await inboxes.visible(user, params.inboxId);
		const ask: Ask = {inboxId, query, page: {page, limit}, fields};
		const attempt = listAttempt(services, longAnswers, ctx.res, ask);
		await polls.hold(ctx.res, {userId: user.id, topics: [inboxId, user.id], seconds: wait, attempt});
		ctx.respond = false;
	});

	routes.add(messageOperations.listAll, async ({ctx, user, query: asked}) => {
		const {limit, fields, ...given} = asked;
		const query = messageQuery(given);
		await messages.check(user, query);
		const rows = await messages.all.list(user, query, limit, left(ctx.res));
		await answerRows(ctx.res, rows, {user, messages, fields, longAnswers});
		ctx.respond = false;
	});

	routes.add(messageOperations.deleteAll, async ({user, params, query}) => {
		await messages.deleteAll(user, params.inboxId, query.up_to);
	});

	routes.add(messageOperations.misses, async ({ctx, user, params, query: asked}) => {
		const {limit, since, evicted_after: evictedAfter, ...given} = asked;
		const query = messageQuery(given);
		await messages.check(user, query);
		const misses = await messages.misses(user, params.inboxId, query, limit, left(ctx.res));
		const from = since && new Date(since).toISOString();
		const refused = await refusals.of(user, from);
		const hits = (await faults.hitsSince(user, params.inboxId, from)).map(faultHitBody);
		const evicted = Math.max(0, (await inboxes.get(user, params.inboxId)).evicted - evictedAfter);
		const make = () => ({misses: misses.map(missBody), refusals: refused, hits, evicted});
		return answerJson(ctx, {owner: user.id, longAnswers, make});
	});

	routes.add(messageOperations.get, async ({ctx, user, params, query: {link}}) => {
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
		await longAnswers.send(user.id, ctx.res, [async () => jsonPieces(await read())]);
		return undefined;
	});

	routes.add(messageOperations.delete, async ({user, params}) => {
		await messages.delete(user, params.inboxId, params.messageId);
	});

	routes.add(messageOperations.raw, async ({ctx, user, params}) => {
		const {inboxId, id, size} = await messages.get(user, params.inboxId, params.messageId);
		const read = async (start: number, end: number) => messages.raw(user, inboxId, id, {start, end});
		await downloadSource(ctx, {name: `${id}.eml`, size, read, owner: user.id, longAnswers: sources});
	});

	routes.add(messageOperations.readAll, async ({user, params, query: {id = []}}) =>
		(await messages.sources(user, params.inboxId, id)).map(messageSourceBody),
	);

	routes.add(messageOperations.request, async ({ctx, user, params}) => {
		const body = messageRequestBody(await messages.request(user, params.inboxId, params.messageId));
		return answerJson(ctx, {owner: user.id, longAnswers, make: () => body});
	});

	routes.add(messageOperations.attachment, async ({ctx, user, params}) => {
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
}: Omit<z.output<typeof listMessagesSchema>, 'page' | 'limit' | 'wait' | 'fields'>): MessageQuery {
	const isTime = after !== undefined && /^\d{4}-/.test(after);
	return {...texts, smtpUser, ...(isTime ? {since: new Date(after).toISOString()} : {after})};
}

/** What a list is asked for. */
type Ask = {
	readonly inboxId: string;
	readonly query: MessageQuery;
	readonly page: Page;
	readonly fields: RowFields | undefined;
};

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

		await answerRows(response, rows, {user, messages, fields: ask.fields, longAnswers});
		return true;
	};
}

/** For whom rows are, and what of them. */
type RowsAnswer = {
	readonly user: User;
	readonly messages: Messages;
	readonly fields: RowFields | undefined;
	readonly longAnswers: LongAnswers;
};

/** Leaves out messages that were deleted since. */
async function answerRows(
	response: ServerResponse,
	rows: readonly Message[],
	{user, messages, fields, longAnswers}: RowsAnswer,
): Promise<void> {
	const bodyOf = async (message: Message) => {
		if (fields !== undefined) {
			return fields === 'summary' ? messageSummaryBody(message) : messageEnvelopeBody(message);
		}

		const read = await messages.withContent(user, message);
		return read && messageBody(read);
	};
	const lengthOf = ({size, summary}: Message) => (fields === undefined ? size : summary.subject.length);
	beginJson(response);
	if (rows.reduce((sum, row) => sum + lengthOf(row), 0) > maxWholeBytes) {
		await longAnswers.send(user.id, response, listParts(rows, bodyOf));
	} else {
		const bodies = (await Promise.all(rows.map(bodyOf))).filter(body => body !== undefined);
		const whole = JSON.stringify(bodies);
		response.setHeader('Content-Length', Buffer.byteLength(whole));
		response.end(whole);
	}
}
