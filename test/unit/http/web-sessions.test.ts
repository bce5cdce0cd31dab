import {execa} from 'execa';
import {describe, expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import type {OpenedWebSessionBody} from '../../../src/contract/keys.js';
import {planLimits} from '../../../src/domain/accounts/plan.js';
import {mail, openTinbox, type Person, type Tinbox} from '../../helpers/tinbox.js';
import {enter, WebApp} from '../../helpers/web-app.js';

const clientOf = ({url}: Tinbox, {key}: Person) => apiClient({url, apiKey: key});

/** Opens a tinbox with a clock that a test advances, and a user with her client. */
async function openWithClock() {
	let now = Date.parse('2026-01-01T00:00:00.000Z');
	const tinbox = await openTinbox({now: () => new Date(now)});
	const ann = await tinbox.user('ann');
	const passTime = (seconds: number) => {
		now += seconds * 1000;
	};
	return {tinbox, ann, client: clientOf(tinbox, ann), origin: new URL(tinbox.url).origin, passTime};
}

describe('a login link', () => {
	test('opens the app once, at the page that it names', async () => {
		const {tinbox, ann, client, origin} = await openWithClock();
		const inbox = await client.inboxes.create();
		await tinbox.deliver(inbox.email_address, mail('Hi'));
		const [message] = await client.messages.list(inbox.id);
		const pages = [
			[{}, ''],
			[{inbox_id: inbox.id}, `inboxes/${inbox.id}`],
			[{inbox_id: inbox.email_address.toUpperCase()}, `inboxes/${inbox.id}`],
			[{inbox_id: inbox.id, message_id: 'latest'}, `inboxes/${inbox.id}/messages/${message?.id}`],
		] as const;
		for (const [body, path] of pages) {
			const {url, expires_at} = await client.webSessions.createLink(body);
			expect(url.split('#enter=')[0]).toBe(`${origin}/app/${path}`);
			expect(expires_at).toBe('2026-01-01T00:01:00.000Z');
			const response = await enter(origin, {link: url});
			expect(response.status).toBe(201);
			expect(response.headers.get('Set-Cookie')).toMatch(
				new RegExp(`^tinbox_session_${tinbox.port}=[\\w-]{43}; Path=/app; Max-Age=43200; HttpOnly; SameSite=Strict$`),
			);
			const body201 = (await response.json()) as OpenedWebSessionBody;
			expect(body201).toEqual({
				email: ann.user.email,
				expires_at: '2026-01-01T12:00:00.000Z',
				app_key: expect.stringMatching(/^[\w-]{43}$/),
			});
			expect(response.headers.get('Set-Cookie')).not.toContain(body201.app_key);
			const again = await enter(origin, {link: url});
			expect(again.status).toBe(401);
			expect(again.headers.get('Set-Cookie')).toBeNull();
		}
	});

	test('for another account than the requested one names its account and remains unused', async () => {
		const {tinbox, ann, client, origin} = await openWithClock();
		const bob = await tinbox.user('bob');
		const {url: link} = await client.webSessions.createLink();
		const other = await enter(origin, {link, account: bob.user.email});
		expect([other.status, other.headers.get('Set-Cookie')]).toEqual([200, null]);
		expect(await other.json()).toEqual({email: ann.user.email});
		expect((await enter(origin, {link, account: ann.user.email})).status).toBe(201);
	});

	test('that is used fifty times concurrently opens the app once', async () => {
		const {client, origin} = await openWithClock();
		const {url} = await client.webSessions.createLink();
		const responses = await Promise.all(Array.from({length: 50}, async () => enter(origin, {link: url})));
		const statuses = responses.map(({status}) => status).sort();
		expect(statuses).toEqual([201, ...Array.from({length: 49}, () => 401)]);
		expect((await client.webSessions.list()).web_sessions).toHaveLength(1);
	});

	test('is invalid after a minute, after its key is revoked, or after its user is deleted', async () => {
		const {tinbox, ann, client, origin, passTime} = await openWithClock();
		const {url: late} = await client.webSessions.createLink();
		passTime(61);
		expect((await enter(origin, {link: late})).status).toBe(401);
		const {url: revoked} = await client.webSessions.createLink();
		const [key] = await tinbox.services.keys.list(ann.user);
		await tinbox.services.keys.revoke(ann.user, key?.id ?? '');
		expect((await enter(origin, {link: revoked})).status).toBe(401);
		const bob = await tinbox.user('bob');
		const {url: orphaned} = await clientOf(tinbox, bob).webSessions.createLink();
		await tinbox.services.users.delete(bob.user.id);
		expect((await enter(origin, {link: orphaned})).status).toBe(401);
	});

	test('that was used remains invalid after its session was ended or removed', async () => {
		const {tinbox, ann, client, origin, passTime} = await openWithClock();
		const {url} = await client.webSessions.createLink();
		await WebApp.open(tinbox, {link: url});
		const [session] = await tinbox.services.webSessions.list(ann.user);
		await client.webSessions.end(session?.id ?? '');
		expect((await enter(origin, {link: url})).status).toBe(401);
		passTime(59);
		expect((await enter(origin, {link: url})).status).toBe(401);
		passTime(600);
		await tinbox.services.webSessions.expiry.start();
		expect(await tinbox.store.webSessions.nextExpiry()).toBeUndefined();
		expect((await enter(origin, {link: url})).status).toBe(401);
	});

	test('can be created only with an API key, for objects that the user may see', async () => {
		const {tinbox, client} = await openWithClock();
		const inbox = await client.inboxes.create();
		const bob = await tinbox.user('bob');
		const asBob = clientOf(tinbox, bob);
		await expect(asBob.webSessions.createLink({inbox_id: inbox.id})).rejects.toMatchObject({status: 404});
		await expect(client.webSessions.createLink({inbox_id: 'x'})).rejects.toMatchObject({status: 404});
		await expect(client.webSessions.createLink({inbox_id: inbox.id, message_id: 'x'})).rejects.toMatchObject({
			status: 404,
		});
		await expect(client.webSessions.createLink({message_id: 'latest'})).rejects.toMatchObject({
			status: 400,
			message: '"inbox_id" is required with "message_id".',
		});
		const app = await WebApp.open(tinbox, {key: bob.key});
		expect(await app.status('POST', '/app/v1/web-sessions/links', {body: {}})).toBe(403);
	});

	test('is invalid for another user of the machine', async () => {
		const {tinbox, ann} = await openWithClock();
		const [key] = await tinbox.services.keys.list(ann.user);
		const {webSessions} = tinbox.services;
		const by = (id: number | undefined) => async () => id;
		const outcomes = [];
		for (const [maker, user] of [
			[1000, 1000],
			[1000, 1001],
			[1000, 0],
			[0, 1000],
			[1000, undefined],
			[undefined, 1000],
		]) {
			const {token: link} = await webSessions.createLink(key?.hash ?? '', by(maker));
			const used = webSessions.open({link, peer: by(user)});
			outcomes.push([
				maker,
				user,
				await used.then(
					() => 'opened',
					error => error.message,
				),
			]);
		}

		const refused = 'This link belongs to another user of this machine. Create your own: tinbox open';
		expect(outcomes).toEqual([
			[1000, 1000, 'opened'],
			[1000, 1001, refused],
			// Root forwards the connections of other users.
			[1000, 0, 'opened'],
			[0, 1000, refused],
			// Remote clients, or a system that does not report the peer.
			[1000, undefined, 'opened'],
			[undefined, 1000, 'opened'],
		]);
	});

	const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
	test.skipIf(!isRoot)('is rejected for another system user and remains valid for its own', async () => {
		const {client, origin} = await openWithClock();
		const {url} = await client.webSessions.createLink();
		const body = JSON.stringify({link: url.split('#enter=')[1]});
		const headers = JSON.stringify({'X-Tinbox-App': '1', 'Content-Type': 'application/json'});
		const script = `fetch('${origin}/app/session', {method: 'POST', headers: ${headers}, body: ${JSON.stringify(body)}})
			.then(async response => console.log(response.status, await response.text()))`;
		const {stdout} = await execa(process.execPath, ['-e', script], {uid: 65_534, cwd: '/'});
		expect(stdout).toMatch(/^401 .*This link belongs to another user of this machine/);
		expect((await enter(origin, {link: url})).status).toBe(201);
	});

	test('that is forged is invalid', async () => {
		const {tinbox, ann, client, origin} = await openWithClock();
		const inbox = await client.inboxes.create();
		await tinbox.deliver(inbox.email_address, mail('Hi'));
		const {url: preview} = await client.messages.preview(inbox.id, 'latest');
		const {url} = await client.webSessions.createLink();
		const forged = [
			...['', 'x', 'a.b.c.d.e', 'x'.repeat(10_000), ann.key, preview.split('/').at(-1) ?? ''],
			// Not the last character, of which not every bit counts.
			url.replace(/.(?=.{10}$)/, last => (last === 'A' ? 'B' : 'A')),
			url.slice(0, -20),
		];
		for (const link of forged) {
			expect((await enter(origin, {link})).status, link).toBe(401);
		}

		expect((await enter(origin, {link: 'x'.repeat(20_000)})).status).toBe(413);
		expect((await fetch(preview.replace(/[^/]*$/, url.split('#enter=')[1] ?? ''))).status).toBe(404);
	});
});

describe('a web session', () => {
	test('is opened by an API key or a token, and identifies its user', async () => {
		const {tinbox, ann} = await openWithClock();
		const {token} = await tinbox.services.credentials.issueToken(ann.user.id, 86_400);
		for (const by of [{key: ann.key}, {token}]) {
			const app = await WebApp.open(tinbox, by);
			const response = await app.request('GET', '/app/session');
			expect(await response.json()).toEqual({email: ann.user.email, expires_at: '2026-01-01T12:00:00.000Z'});
			expect(await app.status('GET', '/app/v1/inboxes')).toBe(200);
			expect(await app.status('POST', '/app/v1/inboxes', {body: {}})).toBe(201);
		}
	});

	test('expires no later than the token that opened it', async () => {
		const {tinbox, ann, passTime} = await openWithClock();
		const {token} = await tinbox.services.credentials.issueToken(ann.user.id, 90);
		const app = await WebApp.open(tinbox, {token});
		expect(app.opened.expires_at).toBe('2026-01-01T00:01:30.000Z');
		passTime(91);
		expect(await app.status('GET', '/app/v1/inboxes')).toBe(401);
	});

	test('is not opened by other credentials', async () => {
		const {tinbox, ann, origin} = await openWithClock();
		const wrong = [{key: `${ann.key}x`}, {key: 'tbx_live_'}, {token: ann.key}, {token: 'a.b.c'}, {link: ann.key}];
		for (const by of wrong) {
			const response = await enter(origin, by);
			expect([response.status, response.headers.get('Set-Cookie')]).toEqual([401, null]);
		}

		const app = await WebApp.open(tinbox, {key: ann.key});
		expect(await app.status('POST', '/app/session')).toBe(401);
		expect(await app.status('POST', '/app/session', {body: {}})).toBe(401);
		expect(await app.status('POST', '/app/session', {body: {link: 5}})).toBe(400);
		const secret = `tbx_web_${app.cookie.split('=')[1]}.${app.opened.app_key}`;
		expect((await enter(origin, {key: secret})).status).toBe(401);
	});

	test('expires after twelve hours, and its row is deleted', async () => {
		const {tinbox, ann, client, passTime} = await openWithClock();
		const app = await WebApp.open(tinbox, {key: ann.key});
		passTime(12 * 3600 - 1);
		expect(await app.status('GET', '/app/session')).toBe(200);
		passTime(1);
		expect(await app.status('GET', '/app/session')).toBe(401);
		expect(await app.status('GET', '/app/v1/inboxes')).toBe(401);
		expect((await client.webSessions.list()).web_sessions).toEqual([]);
		await tinbox.services.webSessions.expiry.start();
		expect(await tinbox.store.webSessions.nextExpiry()).toBeUndefined();
	});

	test('can be ended by the page, which loses its cookie', async () => {
		const {tinbox, ann} = await openWithClock();
		const [app, other] = [await WebApp.open(tinbox, {key: ann.key}), await WebApp.open(tinbox, {key: ann.key})];
		const response = await app.request('DELETE', '/app/session');
		expect(response.status).toBe(204);
		expect(response.headers.get('Set-Cookie')).toBe(
			`tinbox_session_${tinbox.port}=; Path=/app; Max-Age=0; HttpOnly; SameSite=Strict`,
		);
		for (const [method, path] of [
			['GET', '/app/session'],
			['DELETE', '/app/session'],
			['GET', '/app/v1/inboxes'],
		] as const) {
			expect(await app.status(method, path)).toBe(401);
		}

		expect(await other.status('GET', '/app/session')).toBe(200);
	});

	test('can be listed and ended only by its user, with a key or a token', async () => {
		const {tinbox, ann, client} = await openWithClock();
		const app = await WebApp.open(tinbox, {key: ann.key});
		const [key] = await tinbox.services.keys.list(ann.user);
		const {web_sessions: sessions} = await client.webSessions.list();
		const id = sessions[0]?.id ?? '';
		const createdAt = '2026-01-01T00:00:00.000Z';
		const expiresAt = '2026-01-01T12:00:00.000Z';
		expect(sessions).toEqual([{id, key_id: key?.id, created_at: createdAt, last_used_at: null, expires_at: expiresAt}]);
		const bob = clientOf(tinbox, await tinbox.user('bob'));
		expect(await bob.webSessions.list()).toEqual({web_sessions: []});
		await expect(bob.webSessions.end(id)).rejects.toMatchObject({status: 404});
		expect(await app.status('GET', '/app/session')).toBe(200);
		const {token} = await tinbox.services.credentials.issueToken(ann.user.id, 60);
		await apiClient({url: tinbox.url, token}).webSessions.end(id);
		expect(await app.status('GET', '/app/session')).toBe(401);
		await expect(client.webSessions.end(id)).rejects.toMatchObject({
			status: 404,
			message: `You have no web session "${id}".`,
		});
	});

	test('ends when its user opens fifty newer ones', async () => {
		const {tinbox, ann, client} = await openWithClock();
		const first = await WebApp.open(tinbox, {key: ann.key});
		const second = await WebApp.open(tinbox, {key: ann.key});
		for (let count = 2; count < 51; count++) {
			await WebApp.open(tinbox, {key: ann.key});
		}

		expect(await first.status('GET', '/app/session')).toBe(401);
		expect(await second.status('GET', '/app/session')).toBe(200);
		expect((await client.webSessions.list()).web_sessions).toHaveLength(50);
	});

	test('does not count as an API key of the plan', async () => {
		const {tinbox} = await openWithClock();
		const user = await tinbox.services.users.create({name: 'Fred', email: 'fred@example.com', plan: 'free'});
		const {raw} = await tinbox.services.keys.create(user, 'First');
		for (let count = 0; count < planLimits.free.keys + 1; count++) {
			await WebApp.open(tinbox, {key: raw});
		}

		for (let count = 1; count < planLimits.free.keys; count++) {
			await tinbox.services.keys.create(user, 'Further');
		}

		await expect(tinbox.services.keys.create(user, 'Too many')).rejects.toMatchObject({code: 'plan_limit'});
		expect(await tinbox.services.webSessions.list(user)).toHaveLength(planLimits.free.keys + 1);
	});

	test('can be opened sixty times a minute', async () => {
		const {ann, origin, passTime} = await openWithClock();
		const statuses = [];
		for (let count = 0; count < 62; count++) {
			statuses.push((await enter(origin, {key: ann.key})).status);
		}

		expect(statuses.filter(status => status === 201)).toHaveLength(60);
		expect(statuses.at(-1)).toBe(429);
		passTime(61);
		expect((await enter(origin, {key: ann.key})).status).toBe(201);
	});

	test('is rejected with 429 after sixty wrong attempts, except with valid credentials', async () => {
		const {ann, origin} = await openWithClock();
		const statuses = [];
		for (let count = 0; count < 62; count++) {
			statuses.push((await enter(origin, {key: 'tbx_live_wrong'})).status);
		}

		expect(statuses.lastIndexOf(401)).toBe(59);
		expect(statuses.slice(60)).toEqual([429, 429]);
		expect((await enter(origin, {key: ann.key})).status).toBe(201);
	});

	test('survives a restart', async () => {
		const before = await openTinbox();
		const ann = await before.user('ann');
		const app = await WebApp.open(before, {key: ann.key});
		const after = await before.restart();
		expect(await app.at(after).status('GET', '/app/session')).toBe(200);
		await after.close();
	});
});

describe('immediately', () => {
	test('a revoked key ends the session, its event stream, its waits and its previews', async () => {
		const {tinbox, ann, client} = await openWithClock();
		const inbox = await client.inboxes.create();
		await tinbox.deliver(inbox.email_address, mail('Hi'));
		const app = await WebApp.open(tinbox, {key: ann.key});
		const stream = await app.request('GET', '/app/v1/events');
		const reading = stream.text();
		const wait = app.request('GET', `/app/v1/inboxes/${inbox.id}/messages?subject=never&wait=60`);
		await expect.poll(() => tinbox.services.feed.waiting(inbox.id)).toBe(1);
		const preview = await app.request('POST', `/app/v1/inboxes/${inbox.id}/messages/latest/preview`);
		const {url} = (await preview.json()) as {url: string};
		expect(url).toMatch(new RegExp(`^${app.origin}/v1/previews/`));
		expect((await fetch(url)).status).toBe(200);

		const [key] = await tinbox.services.keys.list(ann.user);
		await tinbox.services.keys.revoke(ann.user, key?.id ?? '');
		expect(await app.status('GET', '/app/session')).toBe(401);
		expect((await fetch(url)).status).toBe(404);
		expect(await reading).toContain('event: ready');
		expect((await wait).status).toBe(401);
	});

	test('the end of a session ends its event stream and previews, but no other session', async () => {
		const {tinbox, ann, client} = await openWithClock();
		const inbox = await client.inboxes.create();
		await tinbox.deliver(inbox.email_address, mail('Hi'));
		const app = await WebApp.open(tinbox, {key: ann.key});
		const other = await WebApp.open(tinbox, {key: ann.key});
		const stream = await app.request('GET', '/app/v1/events');
		const reading = stream.text();
		const preview = await app.request('POST', `/app/v1/inboxes/${inbox.id}/messages/latest/preview`);
		const {url} = (await preview.json()) as {url: string};
		expect(await app.status('DELETE', '/app/session')).toBe(204);
		expect(await reading).toContain('event: ready');
		expect((await fetch(url)).status).toBe(404);
		expect(await other.status('GET', '/app/session')).toBe(200);
	});
});
