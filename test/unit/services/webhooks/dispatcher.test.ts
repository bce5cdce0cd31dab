import type {ServerResponse} from 'node:http';
import {Webhook} from 'standardwebhooks';
import {describe, expect, test, vi} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import type {Delivery, Endpoint, SendWebhook} from '../../../../src/domain/webhooks/delivery.js';
import {noResponse, startReceiver} from '../../../helpers/webhook-receiver.js';
import {createInbox, createUser, WebhookWorld} from '../../../helpers/webhook-world.js';

/** Waits until the newest delivery of the endpoint matches `expected`. */
async function waitForDelivery(
	world: WebhookWorld,
	endpoint: Endpoint,
	expected: Partial<Delivery>,
): Promise<Delivery> {
	return vi.waitFor(
		async () => {
			const [delivery] = await world.log(endpoint);
			expect(delivery).toMatchObject(expected);
			return delivery as Delivery;
		},
		{timeout: 20_000, interval: 5},
	);
}

const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, {timeout: 20_000, interval: 5});

describe('a received message', () => {
	test('is announced to the subscribed endpoint, signed, with the fields of the event', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(200);
		const endpoint = await world.endpoint(receiver.url);
		const message = await world.receive('Grüße ✓');
		const delivery = await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 1, responseStatus: 200});

		expect(receiver.requests).toHaveLength(1);
		const [{headers, body} = {headers: {}, body: ''}] = receiver.requests;
		expect(JSON.parse(body)).toEqual({
			event: 'message.received',
			inbox_id: world.inbox.id,
			message: {
				id: message.id,
				from: 'author@example.com',
				from_name: null,
				subject: 'Grüße ✓',
				received_at: message.receivedAt,
			},
		});
		expect(headers).toMatchObject({
			'content-type': 'application/json',
			'x-tinbox-event': 'message.received',
			'x-tinbox-delivery-id': delivery.id,
			'x-tinbox-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
			'webhook-id': delivery.id,
		});
		new Webhook(endpoint.secret).verify(body, headers as Record<string, string>);
	});

	test('is announced to the endpoints of the owner and all team members, and to nobody else', async () => {
		const world = await WebhookWorld.open();
		const member = createUser('member');
		const outsider = createUser('outsider');
		for (const user of [member, outsider]) {
			await world.store.users.create(user);
		}

		const joinedAt = '2026-01-01T00:00:00.000Z';
		const members = [
			{userId: world.user.id, role: 'owner', joinedAt},
			{userId: member.id, role: 'member', joinedAt},
		] as const;
		await world.store.teams.create(
			{id: 't1', name: 'Team', ownerId: world.user.id, members, generation: 0, createdAt: joinedAt},
			1,
		);
		const shared = createInbox(world.user, 't1');
		await world.store.inboxes.create(shared);

		const receiver = await startReceiver(200);
		for (const user of [world.user, member, outsider]) {
			await world.endpoint(`${receiver.url}/${user.name}`, {}, user);
		}

		await world.receive('for the team', shared);
		await until(() => expect(receiver.requests).toHaveLength(2));
		await world.receive('for me alone');
		await until(() => expect(receiver.requests).toHaveLength(3));
		expect(receiver.requests.map(({url}) => url).sort()).toEqual(['/hook/member', '/hook/owner', '/hook/owner']);
	});

	test('is announced even if it was deleted before', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(200);
		await world.endpoint(receiver.url);
		const message = await world.commit('short-lived');
		await world.store.messages.delete(message.id);
		world.announce();
		await until(() => expect(receiver.requests).toHaveLength(1));
		expect(receiver.requests[0]?.body).toContain('short-lived');
	});

	test('is not announced if its inbox was deleted before it was stored', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(200);
		const endpoint = await world.endpoint(receiver.url);
		await world.store.inboxes.delete(world.inbox.id);
		await world.receive('too late');
		expect(await world.log(endpoint)).toEqual([]);
	});

	test('that was stored just before a crash is announced after it', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(200);
		const endpoint = await world.endpoint(receiver.url);
		await world.commit('after the crash');
		await world.stop();
		await world.start();
		await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 1});
		expect(receiver.requests[0]?.body).toContain('after the crash');
	});
});

describe('a webhook receiver', () => {
	test('that responds with 500, 500 and 200 gets three attempts with the same id and body', async () => {
		const world = await WebhookWorld.open({retryDelayMs: 20});
		const receiver = await startReceiver(500, 500, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await waitForDelivery(world, endpoint, {
			status: 'delivered',
			attempts: 3,
			responseStatus: 200,
			nextAttemptAt: null,
		});

		const [first, second, third] = receiver.requests;
		expect(receiver.requests).toHaveLength(3);
		expect(new Set(receiver.requests.map(({body}) => body)).size).toBe(1);
		expect(new Set(receiver.requests.map(({headers}) => headers['webhook-id'])).size).toBe(1);
		expect((second?.receivedAt ?? 0) - (first?.receivedAt ?? 0)).toBeGreaterThanOrEqual(19);
		expect((third?.receivedAt ?? 0) - (second?.receivedAt ?? 0)).toBeGreaterThanOrEqual(39);
	});

	test('that never responds with 2xx makes the delivery dead after three attempts', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(302, 404, 503);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await waitForDelivery(world, endpoint, {
			status: 'dead',
			attempts: 3,
			responseStatus: 503,
			responseBody: 'status 503',
		});
		expect(receiver.requests).toHaveLength(3);
	});

	test('that cannot be reached makes the delivery dead, with the reason', async () => {
		const world = await WebhookWorld.open();
		const endpoint = await world.endpoint('http://127.0.0.1:1/');
		await world.receive('hello');
		const responseBody = expect.stringContaining('ECONNREFUSED');
		await waitForDelivery(world, endpoint, {status: 'dead', attempts: 3, responseStatus: null, responseBody});
	});

	test('that responds with 410 deactivates the endpoint', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(410, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await waitForDelivery(world, endpoint, {status: 'failed', attempts: 1, responseStatus: 410});
		expect((await world.services.webhooks.get(world.user, endpoint.id)).endpoint.isActive).toBe(false);

		await world.receive('not for it');
		expect(await world.log(endpoint)).toHaveLength(1);
		await world.services.webhooks.update(world.user, endpoint.id, {isActive: true});
		await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 2});
	});
});

describe('a webhook endpoint', () => {
	test('that is deactivated gets no attempts until it is active again', async () => {
		const world = await WebhookWorld.open({retryDelayMs: 30_000});
		const receiver = await startReceiver(500, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await waitForDelivery(world, endpoint, {status: 'failed', attempts: 1});
		await world.services.webhooks.update(world.user, endpoint.id, {isActive: false});
		const other = await world.endpoint(`${receiver.url}/other`);
		world.aheadMs = 60_000;
		await world.receive('for the other');
		await waitForDelivery(world, other, {status: 'delivered'});
		expect(await world.log(endpoint)).toMatchObject([{status: 'failed', attempts: 1}]);

		await world.services.webhooks.update(world.user, endpoint.id, {isActive: true});
		await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 2});
	});

	test('with a new secret and URL gets the next attempt with both', async () => {
		const world = await WebhookWorld.open({retryDelayMs: 60_000});
		const before = await startReceiver(500);
		const after = await startReceiver(200);
		const endpoint = await world.endpoint(before.url, {secret: 'the old one'});
		await world.receive('hello');
		await waitForDelivery(world, endpoint, {status: 'failed', attempts: 1});
		await world.services.webhooks.update(world.user, endpoint.id, {url: after.url, secret: 'the new one'});
		world.aheadMs = 61_000;
		world.announce();
		await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 2});

		const [{headers, body} = {headers: {}, body: ''}] = after.requests;
		const verify = (secret: string) =>
			new Webhook(secret, {format: 'raw'}).verify(body, headers as Record<string, string>);
		expect(() => verify('the old one')).toThrow();
		verify('the new one');
	});

	test('that is deleted loses its deliveries, including attempts in progress', async () => {
		const world = await WebhookWorld.open();
		let answer = () => {};
		const receiver = await startReceiver((_, response) => {
			answer = () => response.writeHead(500).end();
		});
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(() => expect(receiver.requests).toHaveLength(1));
		await world.services.webhooks.delete(world.user, endpoint.id);
		answer();
		await world.stop();
		await world.start();
		expect(await world.log(endpoint)).toEqual([]);
		expect(receiver.requests).toHaveLength(1);
	});

	test('has at most four concurrent attempts and starts with one', async () => {
		const world = await WebhookWorld.open();
		const unanswered: ServerResponse[] = [];
		let max = 0;
		const receiver = await startReceiver((_, response) => {
			unanswered.push(response);
			max = Math.max(max, unanswered.length);
		});
		const endpoint = await world.endpoint(receiver.url);
		await Promise.all(Array.from({length: 15}, (_, index) => world.receive(`mail ${index}`)));
		for (const concurrent of [1, 2, 4, 4, 4]) {
			await until(() => expect(unanswered).toHaveLength(concurrent));
			for (const response of unanswered.splice(0)) {
				response.writeHead(200).end();
			}
		}

		await until(async () => {
			expect((await world.log(endpoint)).filter(({status}) => status === 'delivered')).toHaveLength(15);
		});
		expect(max).toBe(4);
	});
});

describe('a restarted dispatcher', () => {
	test('continues due deliveries and their count of attempts', async () => {
		const world = await WebhookWorld.open({retryDelayMs: 60_000});
		const receiver = await startReceiver(500, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		const before = await waitForDelivery(world, endpoint, {status: 'failed', attempts: 1});
		await world.stop();
		world.aheadMs = 61_000;
		await world.start();
		await waitForDelivery(world, endpoint, {id: before.id, status: 'delivered', attempts: 2});
		expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body);
	});

	test('repeats an interrupted attempt with the same id, without counting it', async () => {
		const world = await WebhookWorld.open();
		const receiver = await startReceiver(noResponse, 200);
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(() => expect(receiver.requests).toHaveLength(1));
		await world.stop();
		await world.start();
		await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 1});
		const ids = receiver.requests.map(({headers}) => headers['x-tinbox-delivery-id']);
		expect(ids).toEqual([ids[0], ids[0]]);
	});

	test('loses no delivery, whenever it restarts', async () => {
		const world = await WebhookWorld.open({timeoutMs: 100});
		const receiver = await startReceiver(
			...Array.from({length: 40}, (_, index) => [200, 500, noResponse][index % 3] ?? 200),
			200,
		);
		const endpoint = await world.endpoint(receiver.url);
		const messages: string[] = [];
		for (let round = 0; round < 8; round += 1) {
			for (let count = 0; count < 5; count += 1) {
				messages.push((await world.receive(`mail ${round}.${count}`)).id);
			}

			await until(() => expect(receiver.requests.length).toBeGreaterThan(round * 2));
			await world.stop();
			await world.start();
		}

		await until(async () => {
			for (const {status, attempts} of await world.log(endpoint)) {
				expect(status === 'delivered' || (status === 'dead' && attempts === 3)).toBe(true);
			}
		});
		const announced = new Map<string, Set<string>>();
		for (const {headers, body} of receiver.requests) {
			const {message} = JSON.parse(body);
			announced.set(message.id, (announced.get(message.id) ?? new Set()).add(String(headers['webhook-id'])));
		}

		expect([...announced.keys()].sort()).toEqual([...messages].sort());
		expect([...announced.values()].every(ids => ids.size === 1)).toBe(true);
	});
});

test('due attempts are started a few at a time per turn of the event loop', async () => {
	let sent = 0;
	let inTurn = 0;
	let max = 0;
	const world = await WebhookWorld.open({
		async send() {
			sent += 1;
			max = Math.max(max, ++inTurn);
			return {ok: true, status: 200, body: ''};
		},
	});
	for (let count = 0; count < 100; count += 1) {
		await world.endpoint('http://127.0.0.1:9/');
	}

	const watch = () => {
		inTurn = 0;
		return sent < 100 && setImmediate(watch);
	};
	watch();
	await world.receive('hello');
	await until(() => expect(sent).toBe(100));
	expect(max).toBeLessThan(60);
});

describe('unresponsive receivers', () => {
	test('do not delay other endpoints, even if they exceed the concurrency limit', async () => {
		const world = await WebhookWorld.open();
		const dead = await startReceiver(noResponse);
		const alive = await startReceiver(200);
		for (let count = 0; count < 100; count += 1) {
			await world.endpoint(dead.url);
		}

		const healthy: Endpoint[] = [];
		for (let count = 0; count < 20; count += 1) {
			healthy.push(await world.endpoint(alive.url));
		}

		for (let count = 0; count < 5; count += 1) {
			await world.receive(`mail ${count}`);
		}

		await until(() => expect(alive.requests).toHaveLength(5 * healthy.length));
		await until(() => expect(dead.requests).toHaveLength(100));
		await until(async () => {
			for (const endpoint of healthy) {
				expect((await world.log(endpoint)).every(({status}) => status === 'delivered')).toBe(true);
			}
		});
	});

	test('with thousands of due deliveries do not hide a delivery to another endpoint', async () => {
		const world = await WebhookWorld.open();
		const dead = await startReceiver(noResponse);
		const alive = await startReceiver(200);
		const hog = await world.endpoint(dead.url);
		await world.receive('the first');
		const [delivery] = await world.log(hog);
		const nextAttemptAt = '2026-01-01T00:00:00.000Z';
		await world.store.deliveries.put(
			Array.from({length: 3000}, (_, index): Delivery => ({...(delivery as Delivery), id: `d${index}`, nextAttemptAt})),
		);
		const other = await world.endpoint(alive.url);
		await world.receive('the last');
		await waitForDelivery(world, other, {status: 'delivered'});
		expect(dead.requests.length).toBeLessThanOrEqual(4);
	});
});

describe('a user whose receivers all hang', () => {
	/** More endpoints than concurrent attempts. */
	const hangingUrls = Array.from({length: 520}, (_, index) => `http://127.0.0.1:9/hangs/${index}`);

	async function openWorld() {
		const sent: string[] = [];
		const send: SendWebhook = async ({url, signal}) => {
			sent.push(url);
			if (url.includes('/hangs/') && !signal?.aborted) {
				await new Promise(resolve => signal?.addEventListener('abort', resolve));
			}

			return {ok: true, status: signal?.aborted ? null : 200, body: ''};
		};
		const world = await WebhookWorld.open({send});
		const hung = await Promise.all(hangingUrls.map(async url => world.endpoint(url)));
		const other = createUser('other');
		const inbox = createInbox(other);
		await world.store.users.create(other);
		await world.store.inboxes.create(inbox);
		const endpoint = await world.endpoint('http://127.0.0.1:9/answers', {}, other);
		return {world, sent, hung, inbox, endpoint};
	}

	test('leaves half of the attempts to other users', async () => {
		const {world, sent, inbox, endpoint} = await openWorld();
		await world.receive('to all that hang');
		await until(() => expect(sent).toHaveLength(256));
		for (const subject of ['one', 'two', 'three']) {
			await world.receive(subject, inbox);
			await waitForDelivery(world, endpoint, {status: 'delivered'});
		}

		expect(sent.filter(url => url.includes('/hangs/'))).toHaveLength(256);
	});

	test('leaves half of the attempts to other users, even if its test deliveries hang', async () => {
		const {world, sent, hung, inbox, endpoint} = await openWorld();
		const testDeliveries = hung.map(async ({id}) => world.services.webhooks.test(world.user, id).catch(() => {}));
		await until(() => expect(sent).toHaveLength(256));
		await world.receive('one', inbox);
		await waitForDelivery(world, endpoint, {status: 'delivered'});
		expect(sent.filter(url => url.includes('/hangs/'))).toHaveLength(256);
		await world.stop();
		await Promise.all(testDeliveries);
	});
});

describe('a full disk', () => {
	test('neither repeats nor loses a delivery', async () => {
		let isFull = false;
		let refused = 0;
		const world = await WebhookWorld.open({
			wrap: store => ({
				...store,
				deliveries: {
					...store.deliveries,
					finish: async delivery => {
						if (isFull) {
							refused += 1;
							throw new AppError('storage_full', 'No room.');
						}

						return store.deliveries.finish(delivery);
					},
				},
			}),
		});
		const receiver = await startReceiver((_, response) => {
			isFull = true;
			response.writeHead(200).end();
		});
		const endpoint = await world.endpoint(receiver.url);
		await world.receive('hello');
		await until(() => expect(refused).toBeGreaterThan(1));
		expect(await world.log(endpoint)).toMatchObject([{status: 'pending', attempts: 0}]);
		isFull = false;
		await waitForDelivery(world, endpoint, {status: 'delivered', attempts: 1});
		expect(receiver.requests).toHaveLength(1);
	});
});
