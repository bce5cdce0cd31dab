import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {createRouter} from '../../src/http/app.js';
import {Polls} from '../../src/http/polls.js';
import {sendRaw} from '../helpers/raw-http.js';
import {foreign, own, type Spelling} from '../helpers/site-spellings.js';
import {openTinbox, type Person, Tinbox} from '../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

/** Each method of each route, and some that there are not. */
async function everyRoute(): Promise<ReadonlyArray<{method: string; path: string}>> {
	const some = await Tinbox.open();
	const {stack} = createRouter(some.services, new Polls(some.services.feed, () => {}));
	await some.close();
	const routes = stack.flatMap(({methods, path}) => methods.map(method => ({method, path: String(path)})));
	return [
		...routes,
		{method: 'OPTIONS', path: '/v1/inboxes'},
		{method: 'GET', path: '/'},
		{method: 'POST', path: '/x'},
	];
}

async function send(to: Tinbox, method: string, path: string, spelling: Spelling, host = '127.0.0.1') {
	const {target = path, version = '1.1', headers} = spelling({own: `${host}:${to.port}`, port: to.port, path});
	const lines = [
		`${method} ${target} HTTP/${version}`,
		...headers,
		`X-API-Key: ${ann.key}`,
		'Connection: close',
		'',
		'',
	];
	return sendRaw(to.port, lines.join('\r\n'));
}

describe.each(await everyRoute())('$method $path', ({method, path}) => {
	const answers = async (spellings: typeof foreign) =>
		Promise.all(
			Object.entries(spellings).map(async ([name, spelling]) => {
				const answer = await send(tinbox, method, path, spelling);
				expect(answer.headers, name).toMatchObject({'x-content-type-options': 'nosniff', 'cache-control': 'no-store'});
				expect(Object.keys(answer.headers).join(), name).not.toContain('access-control');
				return {name, ...answer};
			}),
		);

	test('is closed to every foreign site', async () => {
		for (const {name, status} of await answers(foreign)) {
			expect([400, 403, 421], `${name} got ${status}`).toContain(status);
		}
	});

	test('is open to our own', async () => {
		for (const {name, status, body} of await answers(own)) {
			expect([403, 421, 500], `${name} got ${status}`).not.toContain(status);
			expect(body, name).not.toMatch(/malformed|foreign/);
		}
	});
});

describe('a foreign request is told why it is refused', () => {
	test.each([
		{name: 'a rebound name', status: 421, code: 'foreign_host'},
		{name: 'a foreign target of absolute form', status: 421, code: 'foreign_host'},
		{name: 'two hosts, ours first', status: 400, code: 'malformed'},
		{name: 'HTTP/1.0 without a host', status: 400, code: 'malformed'},
		{name: 'a foreign origin', status: 403, code: 'foreign_origin'},
		{name: 'a fetch from another site', status: 403, code: 'foreign_origin'},
	])('$name', async ({name, status, code}) => {
		const spelling = foreign[name];
		const answer = spelling && (await send(tinbox, 'GET', '/v1/inboxes', spelling));
		expect(answer?.headers['content-type']).toBe('application/problem+json');
		expect(JSON.parse(answer?.body ?? '')).toMatchObject({status, code});
	});
});

describe('a listener on all interfaces', () => {
	test.each(['127.0.0.1:80', '192.168.1.7:9000', '10.0.0.1', '[fe80::1]:8025', 'localhost:9000', 'mail:8025'])(
		'is reached as %s, which may be an address before a port mapping',
		async host => {
			const everywhere = await openTinbox({host: '0.0.0.0', names: ['mail']});
			expect((await send(everywhere, 'GET', '/v1/health', () => ({headers: [`Host: ${host}`]}))).status).toBe(200);
		},
	);

	test.each(['evil.example', 'localhost.evil.example:8025', 'mail.evil.example', '1.2.3.4.evil.example'])(
		'is not reached as %s, which can be rebound',
		async host => {
			const everywhere = await openTinbox({host: '0.0.0.0', names: ['mail']});
			expect((await send(everywhere, 'GET', '/v1/health', () => ({headers: [`Host: ${host}`]}))).status).toBe(421);
		},
	);

	test('takes the origin of no other page, be it an address', async () => {
		const everywhere = await openTinbox({host: '0.0.0.0'});
		const headers = ['Host: 192.168.1.7:8025', 'Origin: http://6.6.6.6:8025'];
		expect((await send(everywhere, 'GET', '/v1/health', () => ({headers}))).status).toBe(403);
	});
});
