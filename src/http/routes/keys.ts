import type {DoneBody} from '../../contract/answers.js';
import type {KeyListBody} from '../../contract/keys.js';
import {userByToken} from '../auth.js';
import {answerList} from '../json-answer.js';
import type {LongAnswers} from '../long-answers.js';
import {createdKeyBody, keyBody} from '../present/keys.js';
import type {RoutesFor} from '../routing.js';
import {createKey} from '../schemas/keys.js';
import type {Services} from '../services.js';

export function addKeyRoutes(routesFor: RoutesFor, {credentials, keys}: Services, longAnswers: LongAnswers): void {
	const routes = routesFor(ctx => userByToken(ctx, credentials));
	routes.create('/inboxes/keys', async ({user, readBody}) => {
		const {name} = await readBody(createKey);
		return createdKeyBody(await keys.create(user, name));
	});

	routes.get('/inboxes/keys', async ({ctx, user}) => {
		return answerList(ctx, {
			owner: user.id,
			longAnswers,
			rows: await keys.list(user),
			bodyOf: async row => keyBody(row),
			wrap: list => ({keys: list}) satisfies KeyListBody,
		});
	});

	routes.delete('/inboxes/keys/:keyId', async ({user, params}) => {
		await keys.revoke(user, params.keyId);
		return {message: 'The API key is revoked for good.'} satisfies DoneBody;
	});
}
