import {describe, expect, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {AppError} from '../../../src/domain/errors.js';
import type {Store} from '../../../src/store/port.js';
import {operatorToken} from '../../helpers/resources.js';
import {mail, openTinbox} from '../../helpers/tinbox.js';
import {RawClient} from '../smtp/test-server.js';

/** Opens a tinbox whose store can lose and regain its keys and inboxes. */
async function openWithOutage() {
	let isAway = false;
	let refused = 0;
	const unlessAway = <Noun extends object>(noun: Noun): Noun =>
		new Proxy(noun, {
			get:
				(target, name) =>
				async (...args: unknown[]) => {
					if (isAway) {
						refused++;
						throw new AppError('unavailable', 'The database is away.', {retryAfter: 1});
					}

					return (Reflect.get(target, name) as (...args: unknown[]) => unknown)(...args);
				},
		});
	const wrapStore = (store: Store): Store => ({
		...store,
		keys: unlessAway(store.keys),
		inboxes: unlessAway(store.inboxes),
		isAvailable: () => !isAway,
	});
	const tinbox = await openTinbox({wrapStore});
	const ann = await tinbox.user('ann');
	const fields = {name: null, teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(ann.user, fields);
	return {
		tinbox,
		key: ann.key,
		inbox,
		refused: () => refused,
		setAway: (away = true) => {
			isAway = away;
		},
		get: async (path: string) => tinbox.request('GET', path, {key: ann.key}),
	};
}

describe('during an outage of the store', () => {
	test('the daemon reports that it is not ready', async () => {
		const {tinbox, get, setAway} = await openWithOutage();
		expect(await (await get('/ready')).json()).toEqual({status: 'ready', version: expect.any(String)});
		setAway();
		const health = await get('/health');
		expect([health.status, await health.json()]).toEqual([200, {status: 'degraded', version: expect.any(String)}]);
		const authorization = {Authorization: `Bearer ${operatorToken}`};
		expect(await (await fetch(`${tinbox.url}/health`, {headers: authorization})).json()).toHaveProperty('smtp');
		const ready = await fetch(`${tinbox.url}/ready`);
		expect([ready.status, ready.headers.get('Retry-After')]).toEqual([503, '1']);
		expect(await ready.json()).toMatchObject({code: 'unavailable'});
		setAway(false);
		expect((await get('/ready')).status).toBe(200);
	});

	test('requests get 503 with Retry-After', async () => {
		const {get, setAway, inbox} = await openWithOutage();
		setAway();
		for (const path of ['/inboxes', `/inboxes/${inbox.id}/messages?wait=60`]) {
			const response = await get(path);
			expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1']);
			expect(await response.json()).toMatchObject({code: 'unavailable', detail: 'The database is away.'});
		}
	});

	test('mail gets 451, and the SMTP session continues', async () => {
		const {tinbox, setAway, inbox} = await openWithOutage();
		setAway();
		const client = await RawClient.open(tinbox.smtp.port);
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say(`RCPT TO:<${inbox.address}>`)).toBe('451 4.3.0 The database is away.');
		setAway(false);
		expect(await client.say(`RCPT TO:<${inbox.address}>`)).toMatch(/^250 /);
		await client.say('DATA');
		setAway();
		expect(await client.say('Subject: x\r\n\r\n.')).toBe('451 4.3.0 The database is away.');
		setAway(false);
		await client.beginMail(inbox.address);
		expect(await client.say('Subject: y\r\n\r\n.')).toMatch(/^250 /);
		expect(tinbox.logged.filter(({fields}) => 'err' in fields)).toEqual([]);
	});

	test('an open wait stays open and resumes afterwards', async () => {
		const {tinbox, inbox, get, setAway, refused} = await openWithOutage();
		const responses = Array.from({length: 3}, () => get(`/inboxes/${inbox.id}/messages?wait=60`));
		const waiting = (count: number) => vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(count));
		await waiting(3);
		setAway();
		tinbox.services.feed.publish([{type: 'inbox.changed', inbox}]);
		await vi.waitFor(() => expect(refused()).toBe(3));
		setAway(false);
		await tinbox.deliver(inbox.address, mail('At last'));
		for (const response of await Promise.all(responses)) {
			expect([response.status, await response.json()]).toMatchObject([200, [{subject: 'At last'}]]);
		}
	});

	test('an event stream stays open and resumes afterwards', async () => {
		const {tinbox, inbox, key, setAway, refused} = await openWithOutage();
		const controller = new AbortController();
		const types: string[] = [];
		const following = (async () => {
			for await (const {event} of apiClient({url: tinbox.url, apiKey: key}).events.follow(controller.signal)) {
				types.push(event.type);
			}
		})();
		const ended = following.then(
			() => 'ended',
			() => 'left',
		);
		await vi.waitFor(() => expect(types).toEqual(['ready']));
		setAway();
		await tinbox.services.feed.publish([{type: 'inbox.changed', inbox}]);
		await vi.waitFor(() => expect(refused()).toBeGreaterThan(0));
		setAway(false);
		await vi.waitFor(() => expect(types).toEqual(['ready', 'inbox.changed']));
		controller.abort();
		expect(await ended).toBe('left');
	});

	test('a wait that times out gets 503', async () => {
		const {tinbox, inbox, get, setAway} = await openWithOutage();
		const response = get(`/inboxes/${inbox.id}/messages?wait=1`);
		await vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(1));
		setAway();
		expect(await (await response).json()).toMatchObject({status: 503, code: 'unavailable'});
	});
});
