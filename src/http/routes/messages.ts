import {Readable} from 'node:stream';
import type {Router} from '@koa/router';
import {listMessages} from '../../contract/messages.js';
import {userByKey} from '../auth.js';
import {download, safeFilename, safeMediaType} from '../download.js';
import {pathParam, readQuery} from '../input.js';
import type {Polls} from '../polls.js';
import {fullMessageBody, messageListJson} from '../present/messages.js';
import type {Services} from '../services.js';

const list = '/inboxes/:inboxId/messages';
const single = `${list}/:messageId`;

export function addMessageRoutes(router: Router, {credentials, messages}: Services, polls: Polls): void {
	router.get(list, async ctx => {
		const user = await userByKey(ctx, credentials);
		const {page, limit, wait, ...filter} = readQuery(ctx, listMessages);
		const inboxId = pathParam(ctx, 'inboxId');
		const look = () => messages.list(user, inboxId, filter, {page, limit});
		const found = await (wait === 0 ? look() : polls.find(ctx, inboxId, wait, look));
		if (!found) {
			return;
		}

		ctx.type = 'json';
		ctx.body = Readable.from(
			messageListJson(found, message => messages.contentOf(message)),
			{objectMode: false},
		);
	});

	router.get(single, async ctx => {
		const user = await userByKey(ctx, credentials);
		const read = await messages.read(user, pathParam(ctx, 'inboxId'), pathParam(ctx, 'messageId'));
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
			filename: safeFilename(attachment.filename, `attachment-${attachmentId}`),
			type: safeMediaType(attachment.contentType),
			size: bytes.length,
			body: bytes,
		});
	});
}
