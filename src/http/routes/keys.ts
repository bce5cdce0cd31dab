import type {Router} from '@koa/router';
import type {DoneBody} from '../../contract/answers.js';
import type {KeyListBody} from '../../contract/keys.js';
import {userByToken} from '../auth.js';
import {pathParam, readBody} from '../input.js';
import {createdKeyBody, keyBody} from '../present/keys.js';
import {createKey} from '../schemas/keys.js';
import type {Services} from '../services.js';

export function addKeyRoutes(router: Router, {credentials, keys}: Services): void {
	router.post('/inboxes/keys', async ctx => {
		const user = await userByToken(ctx, credentials);
		const {name} = await readBody(ctx, createKey);
		ctx.body = createdKeyBody(await keys.create(user, name));
		ctx.status = 201;
	});

	router.get('/inboxes/keys', async ctx => {
		const user = await userByToken(ctx, credentials);
		ctx.body = {keys: (await keys.list(user)).map(keyBody)} satisfies KeyListBody;
	});

	router.delete('/inboxes/keys/:keyId', async ctx => {
		const user = await userByToken(ctx, credentials);
		await keys.revoke(user, pathParam(ctx, 'keyId'));
		ctx.body = {message: 'The API key is revoked for good.'} satisfies DoneBody;
	});
}
