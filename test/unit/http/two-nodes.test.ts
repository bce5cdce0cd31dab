import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {openPostgresStore} from '../../../src/store/postgres/open.js';
import {operatorToken, silent} from '../../helpers/resources.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {mail, openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';
import {enter, WebApp} from '../../helpers/web-app.js';
import {Measured} from '../metrics/read-metrics.js';
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

	/** The events that a node tells from now on, or behind one of them. */
	async function follow(node: Tinbox, person: Person, lastEventId?: string) {
		const leave = new AbortController();
		onTestFinished(() => leave.abort());
		const told: {id: string; type: string}[] = [];
		const reading = (async () => {
			for await (const {id, event} of clientOf(node, person).events.follow(leave.signal, lastEventId)) {
				told.push({id, type: event.type === 'ready' ? `ready ${event.resumed}` : event.type});
			}
		})().catch(() => {});
		const types = () => told.map(({type}) => type);
		return {
			told,
			shows: async (...expected: readonly string[]) => vi.waitFor(() => expect(types()).toEqual(expected), 10_000),
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

	test('what one is asked to do, the other one shows, and it answers waits for mail that comes to the other; each measures what it did', async () => {
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

		const [waited, took] = [await Measured.of(one), await Measured.of(other)];
		const told = ['tinbox_mails_total', 'tinbox_wait_wake_up_seconds_count', 'tinbox_store_messages'] as const;
		expect(told.map(name => waited.sum(name))).toEqual([0, 3, 3]);
		expect(told.map(name => took.sum(name))).toEqual([3, 0, 3]);
	});

	test('a key that is revoked at one node ends the waits and event streams of the other', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const {shows, told} = await follow(one, ann);
		await shows('ready false');
		const {id} = await clientOf(one, ann).inboxes.create({});
		await shows('ready false', 'inbox.created');
		const waiting = one.request('GET', `/inboxes/${id}/messages?wait=60`, {key: ann.key});
		await vi.waitFor(() => expect(one.services.feed.waiting(id)).toBe(1), 10_000);
		const [key] = await other.services.keys.list(ann.user);
		await other.services.keys.revoke(ann.user, key?.id ?? '');
		expect((await waiting).status).toBe(401);
		expect((await one.request('GET', '/inboxes', {key: ann.key})).status).toBe(401);
		expect(told).toHaveLength(2);
	});

	test('a link opens the web app once at both together, and what ends at one is over at the other', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const {url: link} = await clientOf(one, ann).webSessions.createLink();
		const at = (number: number) => new URL((number % 2 === 0 ? one : other).url).origin;
		const answers = await Promise.all(Array.from({length: 50}, async (_, number) => enter(at(number), {link})));
		const statuses = answers.map(({status}) => status).sort();
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

	test('an event stream is taken up at the other node, where nothing is missing and nothing is told twice', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ann = await one.user('ann');
		const first = await follow(one, ann);
		await first.shows('ready false');
		const {id, email_address} = await clientOf(other, ann).inboxes.create({});
		await send(other, email_address, 'First');
		await first.shows('ready false', 'inbox.created', 'message.received');
		await first.leave();
		await send(one, email_address, 'Second');
		await clientOf(one, ann).inboxes.update(id, {name: 'later'});

		const next = await follow(other, ann, first.told[1]?.id);
		await next.shows('ready true', 'message.received', 'message.received', 'inbox.changed');
		await clientOf(one, ann).inboxes.delete(id);
		await next.shows('ready true', 'message.received', 'message.received', 'inbox.changed', 'inbox.deleted');
		await next.leave();

		const again = await other.restart();
		onTestFinished(async () => again.close());
		const last = await follow(again, ann, next.told.at(-2)?.id);
		await last.shows('ready true', 'inbox.deleted');
	});

	test('both list the nodes, until one ends', async () => {
		const [one, other] = (await openNodes('one', 'other')) as [Tinbox, Tinbox];
		const ids = async ({url}: Tinbox) =>
			(await apiClient({url, token: operatorToken}).nodes.list()).nodes.map(({id, state}) => `${id} ${state}`);
		expect(await ids(one)).toEqual(['one up', 'other up']);
		expect(await ids(other)).toEqual(await ids(one));
		await other.close();
		expect(await ids(one)).toEqual(['one up']);
	});
});
