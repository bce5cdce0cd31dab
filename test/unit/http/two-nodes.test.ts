import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {openPostgresStore} from '../../../src/store/postgres/open.js';
import {operatorToken, silent} from '../../helpers/resources.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {mail, openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';
import {enter, WebApp} from '../../helpers/web-app.js';
import {DaemonMetrics} from '../metrics/daemon-metrics.js';
import {temporaryFolder} from '../store/json-fixture.js';
import {hasNoPostgres, newDatabase} from '../store/postgres-fixture.js';

describe.skipIf(hasNoPostgres)('two nodes on one database', () => {
	async function openNodes(...names: readonly string[]): Promise<readonly Tinbox[]> {
		const url = await newDatabase();
		const keyFile = path.join(await temporaryFolder(), 'key');
		const nodes: Tinbox[] = [];
		for (const name of names) {
			const node = {id: name, name, version: '0.0.0'};
			const openStore = async (dataDir: string) => openPostgresStore({url, dataDir, keyFile, node, log: silent});
			nodes.push(await openTinbox({openStore, node}));
		}

		return nodes;
	}

	const clientOf = ({url}: Tinbox, {key}: Person) => apiClient({url, apiKey: key});

	/** Follows the events of a node, from now on or after an event. */
	async function follow(node: Tinbox, person: Person, lastEventId?: string) {
		const leave = new AbortController();
		onTestFinished(() => leave.abort());
		const received: {id: string; type: string}[] = [];
		const reading = (async () => {
			for await (const {id, event} of clientOf(node, person).events.follow(leave.signal, lastEventId)) {
				received.push({id, type: event.type === 'ready' ? `ready ${event.resumed}` : event.type});
			}
		})().catch(() => {});
		const types = () => received.map(({type}) => type);
		return {
			received,
			expectTypes: async (...expected: readonly string[]) =>
				vi.waitFor(() => expect(types()).toEqual(expected), 10_000),
			async leave() {
				leave.abort();
				await reading;
			},
		};
	}

	async function send(node: Tinbox, to: string, subject: string): Promise<void> {
		const session = await SmtpSession.open(node.smtp);
		await session.send('app@example.com', to, mail(subject));
		await session.quit();
	}

	test('share inboxes, wake waits for mail at the other node, and measure their own work', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const {id, email_address} = await clientOf(other, ann).inboxes.create({name: 'signup'});
		for (const subject of ['First', 'Second', 'Third']) {
			const waiting = clientOf(one, ann).messages.wait(id, {subject}, {timeoutMs: 30_000});
			await vi.waitFor(() => expect(one.services.feed.waiting(id)).toBe(1), 10_000);
			await send(other, email_address, subject);
			expect(await waiting).toMatchObject({subject});
			expect(await clientOf(other, ann).messages.wait(id, {subject}, {timeoutMs: 0})).toMatchObject({subject});
		}

		const [waitingNode, receivingNode] = [await DaemonMetrics.scrape(one), await DaemonMetrics.scrape(other)];
		const names = ['tinbox_mails_total', 'tinbox_wait_wake_up_seconds_count', 'tinbox_store_messages'] as const;
		expect(names.map(name => waitingNode.sum(name))).toEqual([0, 3, 3]);
		expect(names.map(name => receivingNode.sum(name))).toEqual([3, 0, 3]);
	});

	test('end waits and event streams of a key that is revoked at one of them', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const {expectTypes, received} = await follow(one, ann);
		await expectTypes('ready false');
		const {id} = await clientOf(one, ann).inboxes.create({});
		await expectTypes('ready false', 'inbox.created');
		const waiting = one.request('GET', `/inboxes/${id}/messages?wait=60`, {key: ann.key});
		await vi.waitFor(() => expect(one.services.feed.waiting(id)).toBe(1), 10_000);
		const [key] = await other.services.keys.list(ann.user);
		await other.services.keys.revoke(ann.user, key?.id ?? '');
		expect((await waiting).status).toBe(401);
		expect((await one.request('GET', '/inboxes', {key: ann.key})).status).toBe(401);
		expect(received).toHaveLength(2);
	});

	test('accept a login link once, and end a web session on both', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const {url: link} = await clientOf(one, ann).webSessions.createLink();
		const at = (number: number) => new URL((number % 2 === 0 ? one : other).url).origin;
		const responses = await Promise.all(Array.from({length: 50}, async (_, number) => enter(at(number), {link})));
		const statuses = responses.map(({status}) => status).sort();
		expect(statuses).toEqual([201, ...Array.from({length: 49}, () => 401)]);

		const app = await WebApp.open(one, {key: ann.key});
		const atOther = app.at(other);
		const stream = await atOther.request('GET', '/app/v1/events');
		const reading = stream.text();
		expect(await app.status('DELETE', '/app/session')).toBe(204);
		expect(await atOther.status('GET', '/app/session')).toBe(401);
		expect(await reading).toContain('event: ready');

		const further = await WebApp.open(other, {key: ann.key});
		const [key] = await one.services.keys.list(ann.user);
		await one.services.keys.revoke(ann.user, key?.id ?? '');
		expect(await further.status('GET', '/app/v1/inboxes')).toBe(401);
		expect(await further.at(one).status('GET', '/app/v1/inboxes')).toBe(401);
	});

	test('resume an event stream of the other node without gaps and duplicates', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const first = await follow(one, ann);
		await first.expectTypes('ready false');
		const {id, email_address} = await clientOf(other, ann).inboxes.create({});
		await send(other, email_address, 'First');
		await first.expectTypes('ready false', 'inbox.created', 'message.received');
		await first.leave();
		await send(one, email_address, 'Second');
		await clientOf(one, ann).inboxes.update(id, {name: 'later'});

		const next = await follow(other, ann, first.received[1]?.id);
		await next.expectTypes('ready true', 'message.received', 'message.received', 'inbox.changed');
		await clientOf(one, ann).inboxes.delete(id);
		await next.expectTypes('ready true', 'message.received', 'message.received', 'inbox.changed', 'inbox.deleted');
		await next.leave();

		const restarted = await other.restart();
		onTestFinished(async () => restarted.close());
		const last = await follow(restarted, ann, next.received.at(-2)?.id);
		await last.expectTypes('ready true', 'inbox.deleted');
	});

	test('list each other until one stops', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ids = async ({url}: Tinbox) =>
			(await apiClient({url, token: operatorToken}).nodes.list()).nodes.map(({id, state}) => `${id} ${state}`);
		expect(await ids(one)).toEqual(['one up', 'other up']);
		expect(await ids(other)).toEqual(await ids(one));
		await other.close();
		expect(await ids(one)).toEqual(['one up']);
	});
});
