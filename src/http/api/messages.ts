import type {ServerResponse} from 'node:http';
import type {z} from 'zod';
import type {Page, RowFields} from '../../contract/constants.js';
import {
	deleteMessagesSchema,
	type FullMessageBody,
	fullMessageSchema,
	type ImportCheckBody,
	importCheckSchema,
	importedMailsSchema,
	importMailSchema,
	importMailsSchema,
	listAllMessagesSchema,
	listMessagesSchema,
	listMissesSchema,
	type MessageBody,
	type MessageSummaryBody,
	messageListSchema,
	messageRequestSchema,
	messageSourcesSchema,
	messageSummarySchema,
	missesSchema,
	readMessageSchema,
	readSourcesSchema,
} from '../../contract/messages.js';
import type {User} from '../../domain/accounts/user.js';
import type {MessageQuery} from '../../domain/mail/filter.js';
import {type Message, readMailbox, senderOf, warningsOf} from '../../domain/mail/message.js';
import type {ReadMessage} from '../../services/messages/contents.js';
import type {Messages} from '../../services/messages/messages.js';
import {needsSearch, type SearchProgress} from '../../services/messages/search.js';
import {downloadAttachment, downloadSource} from '../pages/download.js';
import {assertMailSize, MailBodies, mailType} from '../server/bodies.js';
import {clientClosed} from '../server/connections.js';
import type {RequestTurns} from '../server/holders.js';
import type {Polls, TryAnswer} from '../server/polls.js';
import {answerJson, beginJson, jsonChunks, listParts, ResponseQueue, sendJson} from '../server/responses.js';
import type {Services} from '../services.js';
import {userByKey} from './auth.js';
import {faultHitBody} from './faults.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

const inbox = '/inboxes/:inboxId';

/** Path of a message. */
export const messagePath = `${inbox}/messages/:messageId` as const;

export const messageOperations = {
	list: {
		route: `GET ${inbox}/messages`,
		id: 'listMessages',
		summary: 'List or wait for messages of an inbox',
		description:
			'Returns the newest message first. A message must match all filters. With `wait`, the request is held open until a message matches; if the time is over first, the response is `[]`.',
		query: listMessagesSchema,
		command: 'tinbox messages wait signup --timeout 30s',
		response: messageListSchema,
		errors: ['limit_reached'],
		responseIds: {messageId: '0/id'},
	},
	listAll: {
		route: 'GET /messages',
		id: 'listAllMessages',
		summary: 'List the messages of all inboxes',
		description: 'Returns the newest message first. To get the next page, set `before` to the id of the last message.',
		query: listAllMessagesSchema,
		response: messageListSchema,
		responseIds: {inboxId: '0/inbox_id', messageId: '0/id'},
	},
	import: {
		route: `POST ${inbox}/messages`,
		id: 'importMessage',
		summary: 'Import a mail',
		description:
			'The mail is stored byte for byte in this inbox, whatever its recipients are. Waits, events and webhooks see it like mail received over SMTP. Faults and bounces do not apply. Importing the same mail twice creates two messages.',
		query: importMailSchema,
		upload: {type: mailType, description: 'Source of the mail.'},
		command: 'tinbox messages import signup mail.eml',
		status: 201,
		response: messageSummarySchema,
		locationParam: 'messageId',
	},
	checkImport: {
		route: `POST ${inbox}/messages/check`,
		id: 'checkImport',
		summary: 'Check a mail without importing it',
		description: 'Returns what an import would store, with warnings. Nothing is stored.',
		query: importMailSchema,
		upload: {type: mailType, description: 'Source of the mail.'},
		command: 'tinbox messages import signup mail.eml --dry-run',
		response: importCheckSchema,
	},
	importAll: {
		route: `POST ${inbox}/sources`,
		id: 'importMessages',
		summary: 'Import several mails',
		description:
			'Imports the mails in this order, either all of them or none: if one is invalid, nothing is stored. The response lists a summary for each mail in the same order.',
		body: importMailsSchema,
		example: {sources: ['U3ViamVjdDogT25lDQoNCg==', 'U3ViamVjdDogVHdvDQoNCg==']},
		command: 'tinbox messages import signup mails.mbox',
		response: importedMailsSchema,
	},
	readAll: {
		route: `GET ${inbox}/sources`,
		id: 'readSources',
		summary: 'Get the sources of several messages',
		description:
			'Returns the sources in the requested order and skips messages that no longer exist. Together they may have at most 256 KiB.',
		query: readSourcesSchema,
		command: 'tinbox messages export signup --format mbox',
		response: messageSourcesSchema,
		errors: ['too_large'],
	},
	deleteAll: {
		route: `DELETE ${inbox}/messages`,
		id: 'deleteMessages',
		summary: 'Delete the messages of an inbox',
		description: 'Deletes all messages that the inbox has now. With `up_to`, newer messages are kept.',
		query: deleteMessagesSchema,
		command: 'tinbox messages delete signup --all',
	},
	misses: {
		route: `GET ${inbox}/misses`,
		id: 'listMisses',
		summary: 'Explain why no message matches',
		description:
			'Takes the same filters as the message list. Returns the near misses with the reasons, rejected mail, fault hits, and the number of evicted messages.',
		query: listMissesSchema,
		response: missesSchema,
	},
	get: {
		route: `GET ${messagePath}`,
		id: 'getMessage',
		summary: 'Get a message',
		description: 'Returns the message as the list does, and its header fields.',
		query: readMessageSchema,
		command: 'tinbox messages show signup latest',
		response: fullMessageSchema,
		responseIds: {attachmentId: 'attachments/0/id'},
	},
	delete: {
		route: `DELETE ${messagePath}`,
		id: 'deleteMessage',
		summary: 'Delete a message',
		command: 'tinbox messages delete signup latest',
	},
	raw: {
		route: `GET ${messagePath}/raw`,
		id: 'getMessageSource',
		summary: 'Download the source of a message',
		command: 'tinbox messages raw signup latest',
		media: {types: ['message/rfc822'], description: 'Source of the message, byte for byte.'},
	},
	request: {
		route: `GET ${messagePath}/request`,
		id: 'getMessageRequest',
		summary: 'Get the sending API request of a message',
		description:
			'Returns the request of the sending API that created the message. Messages received over SMTP have none and get 404.',
		response: messageRequestSchema,
	},
	attachment: {
		route: `GET ${messagePath}/attachments/:attachmentId`,
		id: 'getAttachment',
		summary: 'Download an attachment',
		command: 'tinbox messages save signup latest',
		media: {types: ['*/*'], description: 'Content of the attachment, with its media type.'},
	},
} as const satisfies Readonly<Record<string, Operation>>;

/** Maximum total size of mails whose response is sent in one piece, which is cheaper than queueing. */
const maxWholeBytes = 256 * 1024;

/** Time slot of a client in a download. */
const sourceTurnMs = 100;

type MessageAnswers = {
	readonly connections: RequestTurns;
	readonly polls: Polls;
	readonly responseQueue: ResponseQueue;
};

export function addMessageRoutes(
	routes: Routes,
	services: Services,
	{polls, responseQueue, connections}: MessageAnswers,
): void {
	const {inboxes, messages, refusals, faults} = services;
	// Before the single messages: `/messages/check` is not the message "check".
	addImportRoutes(routes, services, connections);
	// A short slot is enough: reading a source again costs little.
	const sources = new ResponseQueue(sourceTurnMs);
	routes.add(messageOperations.list, async ({ctx, user, params, query: asked}) => {
		const {page, limit, wait, fields, ...given} = asked;
		const query = messageQuery(given);
		await messages.search.check(user.id, query);
		const {id: inboxId} = await inboxes.visible(user, params.inboxId);
		const ask: Ask = {inboxId, query, page: {page, limit}, fields};
		const attempt = listAttempt(services, responseQueue, ctx.res, ask);
		await polls.hold(ctx.res, {userId: user.id, topics: [inboxId, user.id], seconds: wait, attempt});
		ctx.respond = false;
	});

	routes.add(messageOperations.listAll, async ({ctx, user, query: asked}) => {
		const {limit, fields, ...given} = asked;
		const query = messageQuery(given);
		await messages.search.check(user.id, query);
		const rows = await messages.all.list(user, query, limit, clientClosed(ctx.res));
		await answerRows(ctx.res, rows, {user, messages, fields, responseQueue});
		ctx.respond = false;
	});

	routes.add(messageOperations.deleteAll, async ({user, params, query}) => {
		await messages.deleteAll(user, params.inboxId, query.up_to);
	});

	routes.add(messageOperations.misses, async ({ctx, user, params, query: asked}) => {
		const {limit, since, evicted_after: evictedAfter, ...given} = asked;
		const query = messageQuery(given);
		await messages.search.check(user.id, query);
		const misses = await messages.misses(user, params.inboxId, query, limit, clientClosed(ctx.res));
		const from = since && new Date(since).toISOString();
		const refused = await refusals.of(user, from);
		const hits = (await faults.hitsSince(user, params.inboxId, from)).map(faultHitBody);
		const evicted = Math.max(0, (await inboxes.get(user, params.inboxId)).evicted - evictedAfter);
		const make = () => ({
			misses: misses.map(({message, reasons}) => ({message: messageSummaryBody(message), reasons})),
			refusals: refused,
			hits,
			evicted,
		});
		return answerJson(ctx, {owner: user.id, responseQueue, make});
	});

	routes.add(messageOperations.get, async ({ctx, user, params, query: {link}}) => {
		if (link !== undefined) {
			await messages.search.checkPattern(user.id, link, 'link');
		}

		const {inboxId, id, size} = await messages.get(user, params.inboxId, params.messageId);
		const read = async (): Promise<FullMessageBody> => {
			const message = await messages.read(user, inboxId, id, link);
			return {...messageBody(message), headers: message.content.headers};
		};
		if (size <= maxWholeBytes) {
			return read();
		}

		ctx.respond = false;
		beginJson(ctx.res);
		await responseQueue.send(user.id, ctx.res, [async () => jsonChunks(await read())]);
		return undefined;
	});

	routes.add(messageOperations.delete, async ({user, params}) => {
		await messages.delete(user, params.inboxId, params.messageId);
	});

	routes.add(messageOperations.raw, async ({ctx, user, params}) => {
		const {inboxId, id, size} = await messages.get(user, params.inboxId, params.messageId);
		const read = async (start: number, end: number) => messages.raw(user, inboxId, id, {start, end});
		await downloadSource(ctx, {name: `${id}.eml`, size, read, owner: user.id, responseQueue: sources});
	});

	routes.add(messageOperations.readAll, async ({user, params, query: {id = []}}) =>
		(await messages.sources(user, params.inboxId, id)).map(one => ({
			id: one.id,
			source: one.source.toString('base64'),
		})),
	);

	routes.add(messageOperations.request, async ({ctx, user, params}) => {
		const {inboxId, messageId} = params;
		const {encoding, bodySize, data, ...request} = await messages.request(user, inboxId, messageId);
		const body = {...request, ...(encoding === 'base64' && {encoding}), size: bodySize, data};
		return answerJson(ctx, {owner: user.id, responseQueue, make: () => body});
	});

	routes.add(messageOperations.attachment, async ({ctx, user, params}) => {
		const {inboxId, messageId, attachmentId} = params;
		const read = async () => messages.attachment(user, inboxId, messageId, attachmentId);
		await downloadAttachment(ctx, {read, owner: user.id, responseQueue});
	});
}

/** Converts query parameters to a message query. */
function messageQuery({
	after,
	smtp_user: smtpUser,
	...texts
}: Omit<z.output<typeof listMessagesSchema>, 'page' | 'limit' | 'wait' | 'fields'>): MessageQuery {
	const isTime = after !== undefined && /^\d{4}-/.test(after);
	return {...texts, smtpUser, ...(isTime ? {since: new Date(after).toISOString()} : {after})};
}

type Ask = {
	readonly inboxId: string;
	readonly query: MessageQuery;
	readonly page: Page;
	readonly fields: RowFields | undefined;
};

/**
 * One attempt of a long poll. The key is checked at each attempt: it can be revoked while the request is open. Must not
 * reference Koa's context, because very many requests can be open.
 */
function listAttempt(
	{credentials, messages}: Services,
	responseQueue: ResponseQueue,
	response: ServerResponse,
	ask: Ask,
): TryAnswer {
	const exchange = {req: response.req, res: response};
	const progress: SearchProgress = needsSearch(ask.query) ? {signal: clientClosed(response)} : {};
	return async isLast => {
		const user = await userByKey(exchange, credentials);
		const rows = await messages.list(user, ask.inboxId, ask.query, ask.page, progress);
		if (rows.length === 0 && !isLast) {
			return false;
		}

		await answerRows(response, rows, {user, messages, fields: ask.fields, responseQueue});
		return true;
	};
}

type RowsAnswer = {
	readonly user: User;
	readonly messages: Messages;
	readonly fields: RowFields | undefined;
	readonly responseQueue: ResponseQueue;
};

/** Sends rows without those that were deleted in the meantime. */
async function answerRows(
	response: ServerResponse,
	rows: readonly Message[],
	{user, messages, fields, responseQueue}: RowsAnswer,
): Promise<void> {
	const bodyOf = async (message: Message) => {
		if (fields !== undefined) {
			return {...messageSummaryBody(message), ...(fields === 'envelope' && {envelope: message.envelope})};
		}

		const read = await messages.withContent(user, message);
		return read && messageBody(read);
	};
	const lengthOf = ({size, summary}: Message) => (fields === undefined ? size : summary.subject.length);
	if (rows.reduce((sum, row) => sum + lengthOf(row), 0) > maxWholeBytes) {
		beginJson(response);
		await responseQueue.send(user.id, response, listParts(rows, bodyOf));
	} else {
		const bodies = (await Promise.all(rows.map(bodyOf))).filter(body => body !== undefined);
		sendJson(response, bodies);
	}
}

export function messageBody({message, content}: ReadMessage): MessageBody {
	const {summary} = message;
	const cc = summary.cc.map(readMailbox);
	const replyTo = summary.replyTo.map(readMailbox);
	return {
		id: message.id,
		inbox_id: message.inboxId,
		from: senderOf(message),
		from_name: summary.fromName ?? null,
		to: message.to,
		cc: cc.map(({address}) => address),
		reply_to: replyTo.map(({address}) => address),
		recipients: {to: summary.to.map(readMailbox), cc, reply_to: replyTo},
		date: summary.date ?? null,
		subject: summary.subject,
		text: content.text,
		html: content.html,
		size: message.size,
		attachments: content.attachments.map(({id, filename, contentType, size, contentId, disposition}) => {
			return {id, filename, content_type: contentType, size, content_id: contentId, disposition};
		}),
		codes: content.codes,
		links: content.links,
		message_id: summary.messageId,
		envelope: message.envelope,
		session: message.session,
		warnings: warningsOf(message, content),
		received_at: message.receivedAt,
	};
}

export function messageSummaryBody(message: Message): MessageSummaryBody {
	return {
		id: message.id,
		inbox_id: message.inboxId,
		from: senderOf(message),
		from_name: message.summary.fromName ?? null,
		to: message.to,
		subject: message.summary.subject,
		size: message.size,
		received_at: message.receivedAt,
	};
}

function importCheckBody(read: ReadMessage): ImportCheckBody {
	const {from, from_name, to, subject, date, message_id, size, envelope, warnings} = messageBody(read);
	return {from, from_name, to, subject, date, message_id, size, envelope, warnings};
}

function addImportRoutes(routes: Routes, {messages: {imports}, sending}: Services, turns: RequestTurns): void {
	const bodies = new MailBodies(turns);
	routes.add(messageOperations.import, async ({ctx, user, params, query}) =>
		bodies.take(ctx, sending.maxBytes, async mail => {
			const [message] = await imports.add(user, params.inboxId, [mail], query);
			return message && messageSummaryBody(message);
		}),
	);

	routes.add(messageOperations.importAll, async ({ctx, user, params, body: {sources, ...envelope}}) => {
		for (const {length} of sources) {
			assertMailSize(length, sending.maxBytes);
		}

		const turn = async () => turns.turn(ctx.req);
		return (await imports.add(user, params.inboxId, sources, envelope, turn)).map(messageSummaryBody);
	});

	routes.add(messageOperations.checkImport, async ({ctx, user, params, query}) =>
		bodies.take(ctx, sending.maxBytes, async mail =>
			importCheckBody(await imports.check(user, params.inboxId, mail, query)),
		),
	);
}
