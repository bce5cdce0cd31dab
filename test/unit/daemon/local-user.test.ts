import {describe, expect, onTestFinished, test} from 'vitest';
import {openTinbox, type Tinbox, type TinboxOptions} from '../../helpers/tinbox.js';

const [first, second] = ['tbx_live_first-key-of-all', 'tbx_live_second_key_of_all'];

async function json(tinbox: Tinbox, target: string, key: string) {
	return JSON.parse(await (await tinbox.request('GET', target, {key})).text());
}

async function status(tinbox: Tinbox, key: string): Promise<number> {
	return (await tinbox.request('GET', '/inboxes', {key})).status;
}

/** Restarts the daemon with these settings until the test ends. */
async function restarted(tinbox: Tinbox, settings: TinboxOptions['settings'] = {}): Promise<Tinbox> {
	const next = await tinbox.restart({settings});
	onTestFinished(async () => next.close());
	return next;
}

describe('an API key set at daemon start', () => {
	test('authenticates the local user at once and remains valid until another key is set', async () => {
		let tinbox = await openTinbox({settings: {apiKey: first}});
		expect([await status(tinbox, first), await status(tinbox, second)]).toEqual([200, 401]);
		const me = await json(tinbox, '/users/me', first);
		expect(me).toMatchObject({email: expect.stringMatching(/@localhost$/), plan: 'business'});
		for (const settings of [{apiKey: first}, {}, {apiKey: first}]) {
			tinbox = await restarted(tinbox, settings);
			expect([await status(tinbox, first), await status(tinbox, second)]).toEqual([200, 401]);
			expect((await json(tinbox, '/users/me', first)).id).toBe(me.id);
		}

		tinbox = await restarted(tinbox, {apiKey: second});
		expect([await status(tinbox, first), await status(tinbox, second)]).toEqual([401, 200]);
	});

	test('is one key in the list, beside the keys that the user created', async () => {
		let tinbox = await openTinbox({settings: {apiKey: first}});
		const user = (await tinbox.services.users.list())[0] ?? expect.fail();
		const {raw} = await tinbox.services.keys.create(user, 'Own');
		tinbox = await restarted(tinbox, {apiKey: second});
		expect((await tinbox.services.keys.list(user)).map(({name}) => name).sort()).toEqual([
			'Own',
			'Set at daemon start',
		]);
		expect(await status(tinbox, raw)).toBe(200);

		tinbox = await restarted(tinbox, {apiKey: raw});
		expect((await tinbox.services.keys.list(user)).map(({name}) => name)).toEqual(['Own']);
		expect([await status(tinbox, raw), await status(tinbox, second)]).toEqual([200, 401]);
	});

	test('is rejected if it belongs to another user', async () => {
		const tinbox = await openTinbox();
		const {key} = await tinbox.user('ann');
		await expect(restarted(tinbox, {apiKey: key})).rejects.toThrow('belongs to another user');
	});
});

describe('the catch-all setting', () => {
	test('creates one inbox for all mail', async () => {
		let tinbox = await openTinbox({settings: {apiKey: first, catchAll: true}});
		tinbox = await restarted(tinbox, {catchAll: true});
		await tinbox.deliver('anyone@anywhere.example', 'Subject: x\r\n\r\n');
		const {inboxes} = await json(tinbox, '/inboxes', first);
		expect(inboxes).toEqual([expect.objectContaining({email_address: '*', name: 'catch-all', message_count: 1})]);
	});

	test('creates no inbox if there is a catch-all inbox', async () => {
		let tinbox = await openTinbox();
		const {user} = await tinbox.user('ann', 'localhost');
		await tinbox.services.inboxes.create(user, {name: 'all', address: '*', teamId: null, ttlSeconds: null});
		tinbox = await restarted(tinbox, {catchAll: true});
		expect((await tinbox.services.inboxes.list(user, {page: 1, limit: 9})).total).toBe(1);
	});
});
