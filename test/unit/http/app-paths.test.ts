import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {sendRaw} from '../../helpers/raw-http.js';
import {mail, type Person, Tinbox} from '../../helpers/tinbox.js';
import {WebApp} from '../../helpers/web-app.js';
import {pathSpellings} from './request-variants.js';

let tinbox: Tinbox;
let ann: Person;
let app: WebApp;
let inboxId: string;
let preview: string;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
	const client = apiClient({url: tinbox.url, apiKey: ann.key});
	const inbox = await client.inboxes.create({name: 'secret'});
	inboxId = inbox.id;
	await tinbox.deliver(inbox.email_address, mail('secret'));
	preview = new URL((await client.messages.preview(inboxId, 'latest')).url).pathname;
	app = await WebApp.open(tinbox, {key: ann.key});
});
afterAll(async () => tinbox.close());

/** Sends the path exactly as written. */
async function send(method: string, path: string, headers: Readonly<Record<string, string>> = app.headers) {
	const lines = Object.entries(headers).map(pair => pair.join(': '));
	const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${tinbox.port}`, 'Connection: close', ...lines];
	return sendRaw(tinbox.port, [...head, '', ''].join('\r\n'));
}

const pathVariants = [
	...['/app//v1/inboxes', '//app/v1/inboxes', '/app/v1//inboxes', '/app/./v1/inboxes', '/app/v1/./inboxes'],
	...['/app/x/../v1/inboxes', '/app/v1/../v1/inboxes', '/app/v1/../../v1/inboxes', '/app/session/../v1/inboxes'],
	...[
		'/app/v1/%2e%2e/v1/inboxes',
		'/app/%2e/v1/inboxes',
		'/app%2fv1/inboxes',
		'/app/v1%2finboxes',
		'/%61pp/v1/inboxes',
	],
	...['/App/v1/inboxes', '/app/V1/inboxes', '/app/v1;x/inboxes', '/app;x/v1/inboxes', '\\app\\v1\\inboxes'],
	...['/app/app/v1/inboxes', '/v1/app/v1/inboxes', '/app/v1/app/v1/inboxes', '/v1/../app/v1/inboxes', '/app/v1.json'],
];

describe('a web session', () => {
	test('is accepted below /app/v1 only in the exact spelling of the path', async () => {
		expect((await send('GET', '/app/v1/inboxes')).body).toContain(inboxId);
		const spellings = Object.entries(pathSpellings)
			// Routes accept a trailing slash.
			.filter(([name]) => name !== 'a trailing slash')
			.map(([, respell]) => respell('/app/v1/inboxes'));
		for (const path of [...pathVariants, ...spellings, '/app', '/app/', '/app/v1', '/app/v1/']) {
			const {status, body} = await send('GET', path);
			expect([200, 302, 400, 401, 404], path).toContain(status);
			expect(body, path).not.toContain(inboxId);
			expect((await send('DELETE', path)).status, path).toBeGreaterThanOrEqual(400);
		}
	});

	test('gets errors that name the requested path', async () => {
		const detailOf = async (method: string, path: string) => JSON.parse((await send(method, path)).body).detail;
		expect(await detailOf('POST', '/app/v1/send')).toMatch(/^\/app\/v1\/send was not found\./);
		expect(await detailOf('PATCH', '/app/v1/inboxes')).toMatch(/^\/app\/v1\/inboxes does not support PATCH\./);
		expect(await detailOf('PATCH', '/v1/inboxes')).toMatch(/^\/v1\/inboxes does not support PATCH\./);
	});

	test('is accepted for a target in absolute form', async () => {
		const target = `http://127.0.0.1:${tinbox.port}/app/v1/inboxes?limit=5`;
		expect((await send('GET', target)).body).toContain(inboxId);
		expect((await send('GET', target, {Cookie: app.cookie})).status).toBe(401);
		expect((await send('DELETE', target, {Cookie: app.cookie})).status).toBe(403);
	});

	test('is required for HEAD and OPTIONS as for GET', async () => {
		const path = '/app/v1/inboxes';
		expect(await send('HEAD', path)).toMatchObject({status: 200, body: ''});
		expect((await send('HEAD', path, {})).status).toBe(401);
		expect((await send('HEAD', '/app/session')).status).toBe(200);
		expect((await send('HEAD', '/app/session', {})).status).toBe(401);
		expect((await send('OPTIONS', path, {})).status).toBe(403);
		expect((await send('OPTIONS', '/app/session', {})).status).toBe(403);
		expect(await send('OPTIONS', path)).toMatchObject({status: 204, headers: {allow: 'POST, HEAD, GET, OPTIONS'}});
		expect(await send('OPTIONS', '/app/session')).toMatchObject({status: 204});
		for (const method of ['PUT', 'PATCH', 'PROPFIND']) {
			expect((await send(method, '/app/session')).status).toBe(405);
			expect((await send(method, '/app/session', {})).status).toBe(403);
		}
	});

	test('does not give access to previews', async () => {
		expect((await send('GET', preview, {})).body).toContain('secret');
		for (const path of [`/app${preview}`, `/app${preview}/html`, '/app/v1/previews', '/app/v1/previews/x/raw']) {
			expect((await send('GET', path)).status, path).toBe(404);
		}
	});

	test('is independent of other headers and cookies, and rejected if it is malformed', async () => {
		const {Cookie: cookie, 'X-Tinbox-App': appKey} = app.headers as Readonly<Record<string, string>>;
		const url = '/app/v1/inboxes';
		const foreign = ['a'.repeat(43), 'b'.repeat(43), 'short'].map(value => `${cookie?.split('=')[0]}=${value}`);
		for (const headers of [
			{...app.headers, 'X-Original-URL': '/v1/users', 'X-Rewrite-URL': '/v1/users'},
			{...app.headers, Cookie: `a=b; ${cookie}; c="d"; =; ;`},
			{...app.headers, 'X-HTTP-Method-Override': 'DELETE'},
			// Servers on other ports of the host can set cookies of the same name for longer and for shorter paths.
			{...app.headers, Cookie: [...foreign, cookie, ...foreign].join('; ')},
			{...app.headers, Cookie: `${cookie}; ${cookie}`},
		]) {
			expect((await send('GET', url, headers)).body).toContain(inboxId);
		}

		for (const headers of [
			{...app.headers, Cookie: `${cookie}%00`},
			{...app.headers, 'X-Tinbox-App': `${appKey}, ${appKey}`},
			{...app.headers, 'X-Tinbox-App': 'x'.repeat(8000)},
			{...app.headers, Cookie: `${cookie?.split('=')[0]}=${'x'.repeat(8000)}`},
		]) {
			expect((await send('GET', url, headers)).status).toBe(401);
		}
	});

	test('with the cookie of another user is rejected', async () => {
		const eve = await WebApp.open(tinbox, {key: (await tinbox.user('eve')).key});
		// The cookie of one session, which any port of the host can set, with the app key of the other.
		const headers = {'X-Tinbox-App': app.opened.app_key, Cookie: eve.cookie};
		expect((await send('GET', '/app/session', headers)).status).toBe(401);
		const again = await WebApp.open(tinbox, {key: ann.key});
		expect(again.cookie).not.toBe(app.cookie);
		expect(again.opened.app_key).not.toBe(app.opened.app_key);
	});
});

test('none of these requests is logged as an error', () => {
	expect(tinbox.logged).toEqual([]);
});
