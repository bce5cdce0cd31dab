import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {createRouter} from '../../src/http/app.js';
import {Polls} from '../../src/http/polls.js';
import {sendRaw} from '../helpers/raw-http.js';
import {openTinbox, type Person, Tinbox} from '../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

/** A request as some page or some trick would send it; `own` is the right host, `path` that of the route. */
type Spelling = (request: {own: string; port: number; path: string}) => {
	readonly target?: string;
	readonly version?: string;
	readonly headers: readonly string[];
};

const foreign: Readonly<Record<string, Spelling>> = {
	'a rebound name': ({port}) => ({headers: [`Host: evil.example:${port}`]}),
	'a rebound name without a port': () => ({headers: ['Host: evil.example']}),
	'a name that begins like ours': ({port}) => ({headers: [`Host: localhost.evil.example:${port}`]}),
	'a name that ends like ours': ({port}) => ({headers: [`Host: evil.localhost:${port}`]}),
	'our name with a dot behind': ({port}) => ({headers: [`Host: localhost.:${port}`]}),
	'another port': ({port}) => ({headers: [`Host: localhost:${port + 1}`]}),
	'no port': () => ({headers: ['Host: localhost']}),
	'a user before the host': ({own}) => ({headers: [`Host: ${own}@evil.example`]}),
	'a user that is evil': ({own}) => ({headers: [`Host: evil.example@${own}`]}),
	'an empty host': () => ({headers: ['Host: ']}),
	'a list of hosts': ({own}) => ({headers: [`Host: evil.example, ${own}`]}),
	'another address of loopback': ({port}) => ({headers: [`Host: 127.0.0.2:${port}`]}),
	'loopback as a number': ({port}) => ({headers: [`Host: 2130706433:${port}`]}),
	'all interfaces': ({port}) => ({headers: [`Host: 0.0.0.0:${port}`]}),
	'loopback mapped into IPv6': ({port}) => ({headers: [`Host: [::ffff:127.0.0.1]:${port}`]}),
	'two hosts, ours first': ({own}) => ({headers: [`Host: ${own}`, 'Host: evil.example']}),
	'two hosts, ours last': ({own}) => ({headers: ['Host: evil.example', `Host: ${own}`]}),
	'no host': () => ({headers: []}),
	'HTTP/1.0 without a host': () => ({version: '1.0', headers: []}),
	'HTTP/1.0 with a foreign host': ({port}) => ({version: '1.0', headers: [`Host: evil.example:${port}`]}),
	'a forwarded host': ({own}) => ({headers: ['Host: evil.example', `X-Forwarded-Host: ${own}`]}),
	'a foreign target of absolute form': ({own, path}) => ({
		target: `http://evil.example${path}`,
		headers: [`Host: ${own}`],
	}),
	'a user in the target': ({own, path}) => ({target: `http://${own}@evil.example${path}`, headers: [`Host: ${own}`]}),
	'a target of another scheme': ({own, path}) => ({target: `https://${own}${path}`, headers: [`Host: ${own}`]}),
	'an encoded path': ({port, path}) => ({
		target: path.replace('v1', '%761'),
		headers: [`Host: evil.example:${port}`],
	}),
	'a path with dots': ({port, path}) => ({target: `/x/..${path}`, headers: [`Host: evil.example:${port}`]}),
	'a path with two slashes': ({port, path}) => ({target: `/${path}`, headers: [`Host: evil.example:${port}`]}),
	'a path with a slash behind': ({port, path}) => ({target: `${path}/`, headers: [`Host: evil.example:${port}`]}),
	'a foreign origin': ({own}) => ({headers: [`Host: ${own}`, 'Origin: http://evil.example']}),
	'the origin of a file': ({own}) => ({headers: [`Host: ${own}`, 'Origin: null']}),
	'an empty origin': ({own}) => ({headers: [`Host: ${own}`, 'Origin: ']}),
	'our origin with TLS': ({own}) => ({headers: [`Host: ${own}`, `Origin: https://${own}`]}),
	'the origin of another port': ({own, port}) => ({
		headers: [`Host: ${own}`, `Origin: http://127.0.0.1:${port + 1}`],
	}),
	'the origin of another name of ours': ({own, port}) => ({
		headers: [`Host: ${own}`, `Origin: http://localhost:${port}`],
	}),
	'two origins': ({own}) => ({headers: [`Host: ${own}`, `Origin: http://${own}`, 'Origin: http://evil.example']}),
	'a fetch from another site': ({own}) => ({headers: [`Host: ${own}`, 'Sec-Fetch-Site: cross-site']}),
	'a fetch from a sibling': ({own}) => ({headers: [`Host: ${own}`, 'Sec-Fetch-Site: same-site']}),
};

const own: Readonly<Record<string, Spelling>> = {
	'the address': ({own}) => ({headers: [`Host: ${own}`]}),
	'the name': ({port}) => ({headers: [`Host: localhost:${port}`]}),
	'the name in capitals': ({port}) => ({headers: [`Host: LOCALHOST:${port}`]}),
	'the address of IPv6': ({port}) => ({headers: [`Host: [::1]:${port}`]}),
	'our origin': ({own}) => ({headers: [`Host: ${own}`, `Origin: http://${own}`, 'Sec-Fetch-Site: same-origin']}),
	'an address typed by the user': ({own}) => ({headers: [`Host: ${own}`, 'Sec-Fetch-Site: none']}),
	'a target of absolute form': ({own, path}) => ({target: `http://${own}${path}`, headers: [`Host: ${own}`]}),
	'HTTP/1.0 with a host': ({own}) => ({version: '1.0', headers: [`Host: ${own}`]}),
};

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
