import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {sendRaw} from '../../helpers/raw-http.js';
import {openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';
import {startRelay} from '../../helpers/wrong-relays.js';
import {foreignRequests, ownRequests, pathSpellings, type RequestVariant} from './request-variants.js';
import {appRoutes, routes} from './routes.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	// The local user may use every route.
	ann = await tinbox.user('ann', 'localhost');
});
afterAll(async () => tinbox.close());

/** Every method of every route, and some that do not exist. */
const everyRoute = [
	...routes.map(({request}) => request.replace(' ', ' /v1')),
	...routes.filter(({request}) => request.startsWith('GET ')).map(({request}) => request.replace('GET ', 'HEAD /v1')),
	...['OPTIONS /v1/inboxes', 'GET /', 'POST /x'],
	...['POST /v1/send', 'POST /send/resend/emails', 'GET /send', 'POST /send/nobody'],
	...appRoutes.map(({request}) => request),
	...['HEAD /app/session', 'OPTIONS /app/session', 'PUT /app/session', 'OPTIONS /app/v1/inboxes'],
	...['GET /app/v1/inboxes', 'POST /app/v1/inboxes', 'GET /app/v1/events', 'POST /app/v1/web-sessions/links'],
];

async function send(port: number, request: string, spelling: RequestVariant, {host = '127.0.0.1', key = ann.key} = {}) {
	const [method, path = ''] = request.split(' ');
	const {target = path, version = '1.1', headers} = spelling({ownHost: `${host}:${port}`, port, path});
	const credentials = key === '' ? [] : [`X-API-Key: ${key}`, 'X-Tinbox-App: 1'];
	const lines = [`${method} ${target} HTTP/${version}`, ...headers, ...credentials, 'Connection: close', '', ''];
	return sendRaw(port, lines.join('\r\n'));
}

async function expectClosed(port: number, request: string): Promise<void> {
	for (const {name, status} of await responsesTo(port, request, foreignRequests)) {
		expect([400, 403, 421], `${name} got ${status}`).toContain(status);
	}
}

/** Responses to all variants, after a check of the headers that all responses have. */
async function responsesTo(port: number, request: string, spellings: typeof foreignRequests) {
	return Promise.all(
		Object.entries(spellings).map(async ([name, spelling]) => {
			const response = await send(port, request, spelling);
			expect(response.headers, name).toMatchObject({
				'x-content-type-options': 'nosniff',
				// Responses that are the same for everybody may be cached, but must be revalidated.
				'cache-control': request.endsWith('/openapi.json') && response.status === 200 ? 'no-cache' : 'no-store',
			});
			expect(Object.keys(response.headers).join(), name).not.toContain('access-control');
			return {name, ...response};
		}),
	);
}

describe.each(everyRoute)('%s', request => {
	test('rejects every foreign host and origin', async () => {
		await expectClosed(tinbox.port, request);
	});

	test('accepts its own hosts and origins', async () => {
		for (const {name, status, body} of await responsesTo(tinbox.port, request, ownRequests)) {
			expect([403, 421, 500], `${name} got ${status}`).not.toContain(status);
			expect(status < 400 ? '' : body, name).not.toMatch(/malformed|foreign/);
		}
	});
});

/** Routes that need credentials; the address of a preview is a credential. */
const guarded = routes
	.map(({request}) => request.replace(' ', ' /v1'))
	.filter(
		request =>
			!['GET /v1/health', 'GET /v1/ready', 'GET /v1/openapi.json'].includes(request) && !request.includes('/previews/'),
	);

test.each(guarded)('%s requires credentials in every spelling of its path', async request => {
	const [method, path = ''] = request.split(' ');
	for (const [name, respell] of Object.entries(pathSpellings)) {
		const {status} = await send(
			tinbox.port,
			`${method} ${respell(path)}`,
			({ownHost}) => ({headers: [`Host: ${ownHost}`]}),
			{
				key: '',
			},
		);
		expect(status, name).toBeGreaterThanOrEqual(400);
		expect(status, name).toBeLessThan(500);
	}
});

test('none of these requests is logged as an error', () => {
	expect(tinbox.logged).toEqual([]);
});

test('the checks detect a proxy that rewrites every host', async () => {
	const relay = await startRelay({host: '127.0.0.1', port: tinbox.port}, 'hostRewriting');
	await expect(expectClosed(relay.port, 'GET /v1/inboxes')).rejects.toThrow('got 200');
	await relay.close();
});

describe('the rejection of', () => {
	test.each([
		{name: 'a rebound name', status: 421, code: 'foreign_host'},
		{name: 'a foreign target of absolute form', status: 421, code: 'foreign_host'},
		{name: 'two hosts, the own one first', status: 400, code: 'malformed'},
		{name: 'HTTP/1.0 without a host', status: 400, code: 'malformed'},
		{name: 'a foreign origin', status: 403, code: 'foreign_origin'},
		{name: 'a fetch from another site', status: 403, code: 'foreign_origin'},
	])('$name states the reason', async ({name, status, code}) => {
		const spelling = foreignRequests[name];
		const response = spelling && (await send(tinbox.port, 'GET /v1/inboxes', spelling));
		expect(response?.headers['content-type']).toBe('application/problem+json');
		expect(JSON.parse(response?.body ?? '')).toMatchObject({status, code});
	});
});

describe('a listener on all interfaces', () => {
	test.each(['127.0.0.1:80', '192.168.1.7:9000', '10.0.0.1', '[fe80::1]:8025', 'localhost:9000', 'mail:8025'])(
		'is reachable as %s, which may be an address before a port mapping',
		async host => {
			const everywhere = await openTinbox({host: '0.0.0.0', names: ['mail']});
			expect((await send(everywhere.port, 'GET /v1/health', () => ({headers: [`Host: ${host}`]}))).status).toBe(200);
		},
	);

	test.each(['evil.example', 'localhost.evil.example:8025', 'mail.evil.example', '1.2.3.4.evil.example'])(
		'is not reachable as %s, which DNS rebinding could use',
		async host => {
			const everywhere = await openTinbox({host: '0.0.0.0', names: ['mail']});
			expect((await send(everywhere.port, 'GET /v1/health', () => ({headers: [`Host: ${host}`]}))).status).toBe(421);
		},
	);

	test('rejects the origin of another address', async () => {
		const everywhere = await openTinbox({host: '0.0.0.0'});
		const headers = ['Host: 192.168.1.7:8025', 'Origin: http://6.6.6.6:8025'];
		expect((await send(everywhere.port, 'GET /v1/health', () => ({headers}))).status).toBe(403);
	});
});

test('a foreign host name is rejected with the flag that would allow it', async () => {
	for (const [host, flag] of [
		['mail:8025', '--host-names mail'],
		['mail.example.com', '--host-names mail.example.com'],
		['a b', 'Use its address.'],
	]) {
		const {status, body} = await sendRaw(
			tinbox.port,
			`GET /v1/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
		);
		expect(status).toBe(421);
		expect(JSON.parse(body).detail).toContain(flag);
	}
});

test.each(['localhost:1', '127.0.0.1', '[::1]:9'])(
	'an own host name with another port, %s, is rejected with the right port',
	async host => {
		const {status, body} = await sendRaw(
			tinbox.port,
			`GET /v1/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
		);
		expect(status).toBe(421);
		expect(JSON.parse(body)).toMatchObject({
			code: 'foreign_host',
			detail: `"${host}" does not have the port of this daemon. Use port ${tinbox.port}, also through a tunnel or a proxy.`,
		});
	},
);
