import type {Router} from '@koa/router';
import type {DoneBody} from '../../contract/answers.js';
import type {EndpointListBody} from '../../contract/webhooks.js';
import {userByKey} from '../auth.js';
import {pathParam, readBody, readQuery} from '../input.js';
import {
	createdEndpointBody,
	deliveryListBody,
	deliveryResultBody,
	endpointBody,
	endpointReadBody,
} from '../present/webhooks.js';
import {createEndpoint, listDeliveries, updateEndpoint} from '../schemas/webhooks.js';
import type {Services} from '../services.js';

export function addWebhookRoutes(router: Router, {credentials, webhooks}: Services): void {
	router.post('/webhooks', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {url, events, secret} = await readBody(ctx, createEndpoint);
		ctx.body = createdEndpointBody(await webhooks.create(user, {url, events, ...(secret !== undefined && {secret})}));
		ctx.status = 201;
	});

	router.get('/webhooks', async ctx => {
		const user = await userByKey(ctx, credentials);
		ctx.body = {endpoints: (await webhooks.list(user)).map(endpointBody)} satisfies EndpointListBody;
	});

	router.get('/webhooks/:endpointId', async ctx => {
		const user = await userByKey(ctx, credentials);
		ctx.body = endpointReadBody(await webhooks.get(user, pathParam(ctx, 'endpointId')));
	});

	router.put('/webhooks/:endpointId', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {url, events, is_active, secret} = await readBody(ctx, updateEndpoint);
		const patch = {
			...(url !== undefined && {url}),
			...(events !== undefined && {events}),
			...(is_active !== undefined && {isActive: is_active}),
			...(secret !== undefined && {secret}),
		};
		ctx.body = endpointBody(await webhooks.update(user, pathParam(ctx, 'endpointId'), patch));
	});

	router.delete('/webhooks/:endpointId', async ctx => {
		const user = await userByKey(ctx, credentials);
		await webhooks.delete(user, pathParam(ctx, 'endpointId'));
		ctx.body = {message: 'The webhook endpoint is deleted, and its deliveries with it.'} satisfies DoneBody;
	});

	router.get('/webhooks/:endpointId/deliveries', async ctx => {
		const user = await userByKey(ctx, credentials);
		const {page, limit, status, event} = readQuery(ctx, listDeliveries);
		const filter = {...(status !== undefined && {status}), ...(event !== undefined && {event})};
		const rows = await webhooks.deliveries(user, pathParam(ctx, 'endpointId'), filter, {page, limit});
		ctx.body = deliveryListBody(rows, {page, limit});
	});

	router.post('/webhooks/:endpointId/test', async ctx => {
		const user = await userByKey(ctx, credentials);
		ctx.body = deliveryResultBody(await webhooks.test(user, pathParam(ctx, 'endpointId')));
	});

	router.post('/webhooks/:endpointId/deliveries/:deliveryId/redeliver', async ctx => {
		const user = await userByKey(ctx, credentials);
		const endpointId = pathParam(ctx, 'endpointId');
		ctx.body = deliveryResultBody(await webhooks.redeliver(user, endpointId, pathParam(ctx, 'deliveryId')));
	});
}
