import {setImmediate as turn} from 'node:timers/promises';
import postgres from 'postgres';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {defaultSettings} from '../../../../src/config/settings.js';
import {daemonLimits} from '../../../../src/daemon/limits.js';
import type {AttemptResult, Delivery, Endpoint, SendWebhook} from '../../../../src/domain/webhooks/delivery.js';
import {startAll} from '../../../../src/lib/lifecycle.js';
import {Feed} from '../../../../src/services/live/feed.js';
import {createQuotas} from '../../../../src/services/quotas.js';
import {createWebhookParts} from '../../../../src/services/webhooks/webhooks.js';
import {noopObserver, silent} from '../../../helpers/resources.js';
import {createUser} from '../../../helpers/webhook-world.js';
import {hasNoPostgres, newDatabase, openNode} from '../../store/postgres-fixture.js';
import {someDelivery} from '../../store/rows.js';

const success: AttemptResult = {ok: true, status: 200, body: 'ok'};
const failure: AttemptResult = {ok: false, status: 500, body: 'no'};
const until = (condition: () => void | Promise<void>) => vi.waitFor(condition, {timeout: 30_000, interval: 10});

/** Sender whose attempts end when `answer` is called. */
function createHangingSender() {
	let finish = (_attempt: AttemptResult) => {};
	return {
		send: vi.fn<SendWebhook>(
			async () =>
				new Promise(resolve => {
					finish = resolve;
				}),
		),
		answer: (attempt: AttemptResult) => finish(attempt),
	};
}

describe.skipIf(hasNoPostgres)('webhooks on several nodes', () => {
	/** Opens a node with this sender; `start` begins to send due deliveries. */
	async function openSender(url: string, send: SendWebhook) {
		const store = await openNode(url);
		const parts = createWebhookParts(store, {
			send,
			maxConcurrent: 512,
			allows: () => true,
			findHost: async () => 'unknown',
			quotas: createQuotas(daemonLimits(defaultSettings(''), {openFiles: 1e6, log: silent}).ofUsers, store),
			feed: new Feed(store.events),
			localEmail: 'nobody@localhost',
			retryDelayMs: 10,
			retention: {keep: 1000, keepMs: 86_400_000},
			observer: noopObserver,
			now: () => new Date(),
			log: silent,
		});
		let stop = async () => {};
		onTestFinished(async () => stop());
		return {
			store,
			webhooks: parts.webhooks,
			start: async () => {
				stop = await startAll(parts.parts);
			},
			stop: async () => stop(),
		};
	}

	async function openDatabase() {
		const url = await newDatabase();
		const sql = postgres(url, {max: 1, onnotice: () => {}});
		onTestFinished(async () => sql.end());
		const user = createUser('owner');
		return {
			url,
			user,
			endLeases: async () => sql`update tinbox.leases set until = now() - interval '1 second'`,
		};
	}

	const dueNow = ({id}: Endpoint) => {
		const now = new Date().toISOString();
		return someDelivery(id, {createdAt: now, nextAttemptAt: now});
	};

	test('are sent once, by one node, with at most four concurrent attempts per endpoint', async () => {
		const {url, user} = await openDatabase();
		const sent: string[] = [];
		const concurrent = new Map<string, number>();
		let max = 0;
		const send: SendWebhook = async request => {
			sent.push(String(request.headers['webhook-id']));
			const count = 1 + (concurrent.get(request.url) ?? 0);
			max = Math.max(max, count);
			concurrent.set(request.url, count);
			await turn();
			concurrent.set(request.url, (concurrent.get(request.url) ?? 0) - 1);
			return success;
		};
		const nodes = [await openSender(url, send), await openSender(url, send)];
		const [first] = nodes;
		await first?.store.users.create(user);
		const endpoints: Endpoint[] = [];
		for (let count = 0; count < 8; count += 1) {
			const url = `http://127.0.0.1:9/${count}`;
			endpoints.push((await first?.webhooks.create(user, {url, events: ['message.received']})) as Endpoint);
		}

		const rows = endpoints.flatMap(endpoint => Array.from({length: 40}, () => dueNow(endpoint)));
		await first?.store.deliveries.put(rows);
		await Promise.all(nodes.map(async node => node.start()));
		await until(async () => expect((await first?.store.usage(user.id))?.deliveries).toBe(0));
		expect(sent.toSorted()).toEqual(rows.map(({id}) => id).toSorted());
		expect(max).toBeLessThanOrEqual(4);
	});

	test('are resent after the node that sent them died, which changes nothing afterwards', async () => {
		const {url, user, endLeases} = await openDatabase();
		const hung = createHangingSender();
		const one = await openSender(url, hung.send);
		const sent: string[] = [];
		const other = await openSender(url, async ({headers}) => {
			sent.push(String(headers['webhook-id']));
			return success;
		});
		await one.store.users.create(user);
		const endpoint = await one.webhooks.create(user, {url: 'http://127.0.0.1:9/', events: ['message.received']});
		const delivery = dueNow(endpoint);
		await one.store.deliveries.put([delivery]);
		await one.start();
		await until(() => expect(hung.send).toHaveBeenCalledOnce());
		await other.start();
		expect(sent).toEqual([]);
		await endLeases();
		const done: Partial<Delivery> = {status: 'delivered', attempts: 1};
		await until(async () => expect(await other.store.deliveries.get(delivery.id)).toMatchObject(done));
		expect(sent).toEqual([delivery.id]);
		hung.answer(failure);
		await one.stop();
		expect(await one.store.deliveries.get(delivery.id)).toMatchObject(done);
	});

	test('are not sent twice if a node redelivers while another one is sending', async () => {
		const {url, user} = await openDatabase();
		const hung = createHangingSender();
		const one = await openSender(url, hung.send);
		const send = vi.fn<SendWebhook>(async () => failure);
		const other = await openSender(url, send);
		await one.store.users.create(user);
		const endpoint = await one.webhooks.create(user, {url: 'http://127.0.0.1:9/', events: ['message.received']});
		const delivery = dueNow(endpoint);
		await one.store.deliveries.put([delivery]);
		await one.start();
		await until(() => expect(hung.send).toHaveBeenCalledOnce());
		const leases = vi.spyOn(other.store.deliveries, 'leaseOne');
		const redelivered = other.webhooks.redeliver(user, endpoint.id, delivery.id);
		await until(async () => expect(await leases.mock.results[0]?.value).toBe('busy'));
		hung.answer(success);
		expect(await redelivered).toMatchObject({status: 'delivered', attempts: 1});
		expect(send).not.toHaveBeenCalled();
	});

	test('that a dead node left unfinished fail if they are tests', async () => {
		const {url, user, endLeases} = await openDatabase();
		const hung = createHangingSender();
		const one = await openSender(url, hung.send);
		await one.store.users.create(user);
		const endpoint = await one.webhooks.create(user, {url: 'http://127.0.0.1:9/', events: ['message.received']});
		void one.webhooks.test(user, endpoint.id).catch(() => {});
		const other = await openSender(url, async () => success);
		const log = async () => (await other.webhooks.get(user, endpoint.id)).deliveries;
		await until(() => expect(hung.send).toHaveBeenCalledOnce());
		await endLeases();
		await other.start();
		expect(await log()).toMatchObject([
			{status: 'failed', attempts: 1, responseBody: 'The daemon stopped before the receiver responded.'},
		]);
	});
});
