import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {sendRaw} from '../../helpers/raw-http.js';
import {type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

test.each([
	'/nothing',
	'/inboxes/1/2',
	'/Inboxes',
	'/%69nboxes',
	'/inboxes%2F1',
	'/../v1/x',
	'//inboxes',
	'/inboxes/a/messages/b/c',
])('an unknown path gets 404 without credentials: %s', async path => {
	const {status, headers, body} = await raw('GET', `/v1${path}`);
	expect(status).toBe(404);
	expect(headers['content-type']).toBe('application/problem+json');
	expect(JSON.parse(body)).toMatchObject({title: 'Not Found', status: 404, code: 'not_found'});
});

test.each([
	{method: 'PUT', path: '/inboxes', allow: 'HEAD, GET, POST, OPTIONS'},
	{method: 'POST', path: '/inboxes/x', allow: 'HEAD, GET, PATCH, DELETE, OPTIONS'},
	{method: 'PUT', path: '/inboxes/x/messages', allow: 'HEAD, GET, POST, DELETE, OPTIONS'},
	{method: 'PATCH', path: '/inboxes/x/messages/y', allow: 'HEAD, GET, DELETE, OPTIONS'},
	{method: 'TRACE', path: '/health', allow: 'HEAD, GET, OPTIONS'},
	{method: 'PROPFIND', path: '/health', allow: 'HEAD, GET, OPTIONS'},
])('$method on $path gets 405 with the allowed methods, without credentials', async ({method, path, allow}) => {
	const {status, headers, body} = await raw(method, `/v1${path}`);
	expect(status).toBe(405);
	expect(sorted(headers['allow'])).toEqual(sorted(allow));
	expect(JSON.parse(body)).toMatchObject({title: 'Method Not Allowed', status: 405, code: 'method_not_allowed'});
});

test('an Expect header other than 100-continue gets 417', async () => {
	const {status, headers, body} = await raw('GET', '/v1/health', ['Expect: something']);
	expect(status).toBe(417);
	expect(headers).toMatchObject({
		'content-type': 'application/problem+json',
		'x-content-type-options': 'nosniff',
		'cache-control': 'no-store',
	});
	expect(JSON.parse(body)).toMatchObject({
		code: 'expectation_failed',
		detail: 'Unsupported Expect header. Supported: "100-continue".',
	});
	expect((await raw('GET', '/v1/health', ['Expect: something', 'Origin: http://evil.test'])).status).toBe(403);
	expect((await raw('GET', '/v1/health', ['Expect: 100-Continue'])).status).toBe(200);
});

test('OPTIONS lists the allowed methods, without CORS headers', async () => {
	const {status, headers, body} = await raw('OPTIONS', '/v1/inboxes');
	expect([status, body]).toEqual([204, '']);
	expect(sorted(headers['allow'])).toEqual(sorted('GET, HEAD, POST, OPTIONS'));
	expect(Object.keys(headers).join()).not.toContain('access-control');
	expect((await raw('OPTIONS', '*')).status).toBe(404);
});

test('HEAD returns the headers of GET without a body', async () => {
	for (const path of ['/health', '/inboxes']) {
		const get = await tinbox.request('GET', path, {key: ann.key});
		const head = await tinbox.request('HEAD', path, {key: ann.key});
		expect(head.status).toBe(200);
		expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
		expect(head.headers.get('Content-Length')).toBe(String((await get.arrayBuffer()).byteLength));
		expect((await head.arrayBuffer()).byteLength).toBe(0);
	}
});

test('GET /health needs no credentials', async () => {
	const response = await tinbox.request('GET', '/health');
	expect(response.status).toBe(200);
	expect(await response.json()).toEqual({status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/)});
});

describe('a request is checked', () => {
	test('for its path, method, credentials and body, in this order', async () => {
		const brokenBody = ['Content-Type: text/plain', 'Content-Length: 1'];
		expect((await raw('POST', '/v1/nothing', brokenBody, 'x')).status).toBe(404);
		expect((await raw('PUT', '/v1/inboxes', brokenBody, 'x')).status).toBe(405);
		expect((await raw('POST', '/v1/inboxes', brokenBody, 'x')).status).toBe(401);
		expect((await raw('POST', '/v1/inboxes', [...brokenBody, `X-API-Key: ${ann.key}`], 'x')).status).toBe(415);
	});

	test('for a valid body before its object is looked up', async () => {
		const patch = (body: object) => tinbox.request('PATCH', '/inboxes/unknown', {key: ann.key, body});
		expect((await patch({name: 1})).status).toBe(400);
		expect((await patch({name: 'x'})).status).toBe(404);
	});
});

describe('a request that is not valid HTTP closes the connection with', () => {
	test.each([
		{bytes: 'EHLO tinbox.test\r\n\r\n', status: 400, code: 'malformed'},
		{bytes: 'GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: a\r\n\r\n', status: 400, code: 'malformed'},
		{
			bytes: 'POST /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
			status: 400,
			code: 'malformed',
		},
		{
			bytes: `GET /v1/health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
			status: 431,
			code: 'header_too_large',
		},
	])('$code', async ({bytes, status, code}) => {
		const answer = await sendRaw(tinbox.port, bytes);
		expect(answer).toMatchObject({
			status,
			headers: {'content-type': 'application/problem+json', 'x-content-type-options': 'nosniff', connection: 'close'},
		});
		expect(JSON.parse(answer.body)).toMatchObject({status, code});
	});
});

async function raw(method: string, target: string, headers: readonly string[] = [], body = '') {
	const lines = [`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${tinbox.port}`, 'Connection: close', ...headers];
	return sendRaw(tinbox.port, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

function sorted(methods = ''): readonly string[] {
	return methods.split(', ').sort();
}
