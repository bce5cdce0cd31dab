import {Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import type {Router} from '@koa/router';
import {listMessages, listMisses, readMessage} from '../../contract/messages.js';
import {asksForContent} from '../../domain/filter.js';
import type {Message} from '../../domain/message.js';
import {parsePattern} from '../../domain/pattern.js';
import {safeFileName} from '../../lib/safe-file-name.js';
import {userByKey} from '../auth.js';
import {download, safeMediaType} from '../download.js';
import {pathParam, readQuery} from '../input.js';
import {messageQuery, RequestProgress} from '../message-query.js';
import type {Polls} from '../polls.js';
import {fullMessageBody, messageListJson, missBody} from '../present/messages.js';
import type {Services} from '../services.js';

/** A page of so much mail is put together before it is sent, which costs less than a stream. */
const maxWholeBytes = 256 * 1024;

const list = '/inboxes/:inboxId/messages';
const single = `${list}/:messageId`;

export function addMessageRoutes(router: Router, {credentials, messages}: Services, polls: Polls): void {
	const progress = new RequestProgress();
	router.get(list, async ctx => {
		const user = await userByKey(ctx, credentials);
		const {page, limit, wait, ...given} = readQuery(ctx, listMessages);
		const query = messageQuery(given);
		const inboxId = pathParam(ctx, 'inboxId');
		const searched = asksForContent(query) ? progress.of(ctx) : undefined;
		const look = () => messages.list(user, inboxId, query, {page, limit}, searched);
		const found = await (wait === 0 ? look() : polls.find(ctx, inboxId, wait, look));
		if (!found) {
			return;
		}

		const contentOf = (message: Message) => messages.contentOf(message);
		const json = messageListJson(found, contentOf);
		ctx.type = 'json';
		if (found.reduce((sum, {size}) => sum + size, 0) <= maxWholeBytes) {
			// Side by side; they are kept until the page is put together.
			await Promise.all(found.map(contentOf));
			ctx.body = await text(json);
		} else {
			ctx.body = Readable.from(json, {objectMode: false});
		}
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
		const attachmentId = pathParam(ctx, 'attachmentId');
		const {attachment, bytes} = await messages.attachment(
			user,
			pathParam(ctx, 'inboxId'),
			pathParam(ctx, 'messageId'),
			attachmentId,
		);
		download(ctx, {
			filename: safeFileName(attachment.filename, `attachment-${attachmentId}`),
			type: safeMediaType(attachment.contentType),
			size: bytes.length,
			body: bytes,
		});
	});
}
