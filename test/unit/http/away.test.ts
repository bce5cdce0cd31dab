import {describe, expect, test, vi} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {AppError} from '../../../src/domain/errors.js';
import type {Store} from '../../../src/store/port.js';
import {operatorToken} from '../../helpers/resources.js';
import {mail, openTinbox} from '../../helpers/tinbox.js';
import {RawClient} from '../smtp/smtp-test.js';

/** A tinbox whose store loses its accounts and claims, and gets them back. */
async function openTinboxThatGoesAway() {
	let isAway = false;
	let refused = 0;
	const whileThere = <Noun extends object>(noun: Noun): Noun =>
		new Proxy(noun, {
			get:
				(target, name) =>
				async (...of: unknown[]) => {
					if (isAway) {
						refused++;
						throw new AppError('unavailable', 'The database is away.', {retryAfter: 1});
					}

					return (Reflect.get(target, name) as (...of: unknown[]) => unknown)(...of);
				},
		});
	const wrapStore = (store: Store): Store => ({
		...store,
		keys: whileThere(store.keys),
		inboxes: whileThere(store.inboxes),
		isAvailable: () => !isAway,
	});
	const tinbox = await openTinbox({wrapStore});
	const ann = await tinbox.user('ann');
	const fields = {name: null, teamId: null, claim: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(ann.user, fields);
	return {
		tinbox,
		key: ann.key,
		inbox,
		refused: () => refused,
		goAway: (away = true) => {
			isAway = away;
		},
		ask: async (path: string) => tinbox.request('GET', path, {key: ann.key}),
	};
}

describe('while the store is away', () => {
	test('the daemon lives, and says that it cannot serve', async () => {
		const {tinbox, ask, goAway} = await openTinboxThatGoesAway();
		expect(await (await ask('/ready')).json()).toEqual({status: 'ready', version: expect.any(String)});
		goAway();
		const health = await ask('/health');
		expect([health.status, await health.json()]).toEqual([200, {status: 'degraded', version: expect.any(String)}]);
		const authorization = {Authorization: `Bearer ${operatorToken}`};
		expect(await (await fetch(`${tinbox.url}/health`, {headers: authorization})).json()).toHaveProperty('smtp');
		const ready = await fetch(`${tinbox.url}/ready`);
		expect([ready.status, ready.headers.get('Retry-After')]).toEqual([503, '1']);
		expect(await ready.json()).toMatchObject({code: 'unavailable'});
		goAway(false);
		expect((await ask('/ready')).status).toBe(200);
	});

	test('requests are told to come again', async () => {
		const {ask, goAway, inbox} = await openTinboxThatGoesAway();
		goAway();
		for (const path of ['/inboxes', `/inboxes/${inbox.id}/messages?wait=60`]) {
			const answer = await ask(path);
			expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
			expect(await answer.json()).toMatchObject({code: 'unavailable', detail: 'The database is away.'});
		}
	});

	test('mail is told to come again, in a session that goes on', async () => {
		const {tinbox, goAway, inbox} = await openTinboxThatGoesAway();
		goAway();
		const client = await RawClient.greeted(tinbox.smtp.port);
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say(`RCPT TO:<${inbox.address}>`)).toBe('451 4.3.0 The database is away.');
		goAway(false);
		expect(await client.say(`RCPT TO:<${inbox.address}>`)).toMatch(/^250 /);
		await client.say('DATA');
		goAway();
		expect(await client.say('Subject: x\r\n\r\n.')).toBe('451 4.3.0 The database is away.');
		goAway(false);
		await client.beginMail(inbox.address);
		expect(await client.say('Subject: y\r\n\r\n.')).toMatch(/^250 /);
		expect(tinbox.logged.filter(({fields}) => 'err' in fields)).toEqual([]);
	});

	test('an open wait stays open, and goes on when it is back', async () => {
		const {tinbox, inbox, ask, goAway, refused} = await openTinboxThatGoesAway();
		const answers = Array.from({length: 3}, () => ask(`/inboxes/${inbox.id}/messages?wait=60`));
		const waiting = (count: number) => vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(count));
		await waiting(3);
		goAway();
		tinbox.services.feed.publish([{type: 'inbox.changed', inbox}]);
		await vi.waitFor(() => expect(refused()).toBe(3));
		goAway(false);
		await tinbox.deliver(inbox.address, mail('At last'));
		for (const answer of await Promise.all(answers)) {
			expect([answer.status, await answer.json()]).toMatchObject([200, [{subject: 'At last'}]]);
		}
	});

	test('a stream stays open, and tells what came when it is back', async () => {
		const {tinbox, inbox, key, goAway, refused} = await openTinboxThatGoesAway();
		const leaving = new AbortController();
		const types: string[] = [];
		const following = (async () => {
			for await (const {event} of apiClient({url: tinbox.url, apiKey: key}).events.follow(leaving.signal)) {
				types.push(event.type);
			}
		})();
		const ended = following.then(
			() => 'ended',
			() => 'left',
		);
		await vi.waitFor(() => expect(types).toEqual(['ready']));
		goAway();
		await tinbox.services.feed.publish([{type: 'inbox.changed', inbox}]);
		await vi.waitFor(() => expect(refused()).toBeGreaterThan(0));
		goAway(false);
		await vi.waitFor(() => expect(types).toEqual(['ready', 'inbox.changed']));
		leaving.abort();
		expect(await ended).toBe('left');
	});

	test('a wait whose time is over is told so', async () => {
		const {tinbox, inbox, ask, goAway} = await openTinboxThatGoesAway();
		const answer = ask(`/inboxes/${inbox.id}/messages?wait=1`);
		await vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(1));
		goAway();
		expect(await (await answer).json()).toMatchObject({status: 503, code: 'unavailable'});
	});
});
