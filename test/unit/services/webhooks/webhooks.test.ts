import {describe, expect, test, vi} from 'vitest';
import type {AttemptResult, SendWebhook} from '../../../../src/domain/webhooks/delivery.js';
import {noResponse, startReceiver} from '../../../helpers/webhook-receiver.js';
import {WebhookWorld} from '../../../helpers/webhook-world.js';

const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, {timeout: 20_000, interval: 5});

describe('a redelivery', () => {
	test('of a dead delivery marks it as delivered if it succeeds', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(500, 500, 500, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'dead'}]));
		const [dead] = await world.log(endpoint);
		const after = await world.services.webhooks.redeliver(world.user, endpoint.id, dead?.id ?? '');
		expect(after).toEqual({
			...dead,
			status: 'delivered',
			attempts: 4,
			responseStatus: 200,
			responseBody: 'status 200',
			lastAttemptAt: after.lastAttemptAt,
		});
		expect(await world.log(endpoint)).toEqual([after]);
		expect(receiver.requests[3]?.body).toBe(receiver.requests[0]?.body);
	});

	test('of a dead delivery leaves it dead if it fails', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(500);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'dead'}]));
		const [dead] = await world.log(endpoint);
		const after = await world.services.webhooks.redeliver(world.user, endpoint.id, dead?.id ?? '');
		expect(after).toMatchObject({status: 'dead', attempts: 4, nextAttemptAt: null});
	});

	test('of a failed delivery is immediate and counts as its next attempt', async () => {
		const world = await WebhookWorld.open({retryDelayMs: 60_000});
		const receiver = await startReceiver(500, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(async () => expect(await world.log(endpoint)).toMatchObject([{status: 'failed'}]));
		const [failed] = await world.log(endpoint);
		expect(await world.services.webhooks.redeliver(world.user, endpoint.id, failed?.id ?? '')).toMatchObject({
			status: 'delivered',
			attempts: 2,
			nextAttemptAt: null,
		});
	});

	test('of an attempt in progress sends no second request and returns its result', async () => {
		const lookups: string[] = [];
		const world = await WebhookWorld.open({
			wrap: store => ({
				...store,
				deliveries: {
					...store.deliveries,
					async get(id) {
						const found = await store.deliveries.get(id);
						lookups.push(id);
						return found;
					},
				},
			}),
		});
		let answer = () => {};
		const receiver = await startReceiver((_, response) => {
			answer = () => response.writeHead(200).end();
		});
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(() => expect(receiver.requests).toHaveLength(1));
		const [delivery] = await world.log(endpoint);
		const redelivered = world.services.webhooks.redeliver(world.user, endpoint.id, delivery?.id ?? '');
		await until(() => expect(lookups).toEqual([delivery?.id]));
		answer();
		expect(await redelivered).toMatchObject({status: 'delivered', attempts: 1});
		expect(receiver.requests).toHaveLength(1);
	});
});

describe('a test delivery', () => {
	test('that fails is not retried, even after a restart', async () => {
		const world = await WebhookWorld.open({retryDelayMs: 0});
		const receiver = await startReceiver(500);
		const endpoint = await world.endpoint(receiver.url);
		expect(await world.services.webhooks.test(world.user, endpoint.id)).toMatchObject({
			isTest: true,
			status: 'failed',
			attempts: 1,
			responseStatus: 500,
			responseBody: 'status 500',
		});
		await world.stop();
		world.aheadMs = 3_600_000;
		await world.start();
		await world.receive('to see that the dispatcher was at work');
		await until(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(4));
		const tests = receiver.requests.filter(({body}) => JSON.parse(body).test === true);
		expect(tests).toHaveLength(1);
	});

	test('reaches an inactive endpoint', async () => {
		const world = await WebhookWorld.open();
		const endpoint = await world.endpoint((await startReceiver(200)).url);
		await world.services.webhooks.update(world.user, endpoint.id, {isActive: false});
		expect(await world.services.webhooks.test(world.user, endpoint.id)).toMatchObject({status: 'delivered'});
	});

	test('that gets a 410 response deactivates the endpoint', async () => {
		const world = await WebhookWorld.open();
		const endpoint = await world.endpoint((await startReceiver(410)).url);
		expect(await world.services.webhooks.test(world.user, endpoint.id)).toMatchObject({status: 'failed'});
		expect(await world.services.webhooks.list(world.user)).toMatchObject([{isActive: false}]);
	});

	test('waits while four attempts to the endpoint are in progress', async () => {
		const answers: Array<(attempt: AttemptResult) => void> = [];
		const send: SendWebhook = () => new Promise(resolve => answers.push(resolve));
		const world = await WebhookWorld.open({send});
		const endpoint = await world.endpoint('http://127.0.0.1:9/');
		const tests = Array.from({length: 6}, () => world.services.webhooks.test(world.user, endpoint.id));
		await until(() => expect(answers).toHaveLength(4));
		answers[0]?.({ok: true, status: 200, body: ''});
		await until(() => expect(answers).toHaveLength(5));
		answers[1]?.({ok: true, status: 200, body: ''});
		await until(() => expect(answers).toHaveLength(6));
		for (const answer of answers) {
			answer({ok: true, status: 200, body: ''});
		}

		expect((await Promise.all(tests)).map(({status}) => status)).toEqual(Array(6).fill('delivered'));
	});

	test('that is interrupted by the end of the daemon fails with the reason', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(noResponse);
		const endpoint = await world.endpoint(receiver.url);
		const outcome = world.services.webhooks.test(world.user, endpoint.id).catch(error => error);
		await until(() => expect(receiver.requests).toHaveLength(1));
		await world.stop();
		expect(await outcome).toMatchObject({code: 'stopping'});
		await world.start();
		expect(await world.log(endpoint)).toMatchObject([
			{status: 'failed', attempts: 1, responseBody: 'The daemon stopped before the receiver responded.'},
		]);
	});
});
