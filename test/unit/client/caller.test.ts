import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {inspect} from 'node:util';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createCaller} from '../../../src/client/caller.js';
import {apiClient} from '../../../src/client/index.js';
import {httpStub} from '../../helpers/http-stub.js';

const call = {method: 'GET', path: '/x', auth: 'key'} as const;

describe('a response', () => {
	test('whose body is unused may have no body', async () => {
		const {url} = await httpStub(() => ({status: 204}));
		expect(await createCaller({url}).done(call)).toBeUndefined();
	});

	test('above the size limit is an error that closes the connection', async () => {
		const server = createServer((_, response) => {
			const write = () => {
				while (response.write('['.repeat(1000))) {}
			};
			write();
			response.on('drain', write);
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		onTestFinished(() => void server.close());
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
		const connectionClosed = new Promise(resolve => server.once('connection', socket => socket.once('close', resolve)));
		await expect(createCaller({url}).json({...call, maxBytes: 1024 * 1024})).rejects.toMatchObject({
			name: 'UnreachableError',
			message: `${url} returned more than 1 MiB. Request less data, or check the address.`,
		});
		await connectionClosed;
	});

	test('of 1 MiB is returned completely', async () => {
		const body = 'x'.repeat(1024 * 1024);
		const {url} = await httpStub(() => ({body}));
		expect((await createCaller({url}).bytes(call)).toString()).toBe(body);
	});

	test('with a problem document becomes an ApiError with its fields', async () => {
		const errors = [{field: 'ttl', message: 'must be positive'}];
		const body = {title: 'Bad Request', status: 400, code: 'invalid_input', detail: 'No.', errors};
		const {url} = await httpStub(() => ({status: 400, body}));
		await expect(createCaller({url}).json(call)).rejects.toMatchObject({
			name: 'ApiError',
			message: 'No.',
			status: 400,
			code: 'invalid_input',
			errors,
		});
	});

	test.each([
		{status: 404, body: '<html>'},
		{status: 500, body: {message: 'x'}},
		{status: 502, body: 'null'},
		{status: 200, body: 'OK'},
		{status: 200, body: 'null'},
		{status: 200, body: '5'},
		{status: 200, body: []},
		{status: 204},
	])('that does not come from tinbox is an error: %j', async reply => {
		const {url} = await httpStub(() => reply);
		await expect(createCaller({url}).json(call)).rejects.toThrow(
			/not (return )?a tinbox response\. Check the address\.$/,
		);
	});
});

test.each<[unknown, object]>([
	[{}, {inboxes: [{}]}],
	[{inboxes: null}, {inboxes: [{}]}],
	[{inboxes: {}}, {inboxes: [{}]}],
	[{inboxes: [{}, null]}, {inboxes: [{}]}],
	[{}, [{}]],
	[[5], [{}]],
	[[[]], [{}]],
])('the response %j is rejected if %j is expected', async (body, form) => {
	const {url} = await httpStub(() => ({body}));
	await expect(createCaller({url}).json(call, form)).rejects.toThrow(
		'did not return a tinbox response. Check the address.',
	);
});

describe('an UnreachableError', () => {
	test('reports a refused connection', async () => {
		await expect(createCaller({url: 'http://127.0.0.1:1/v1'}).json(call)).rejects.toMatchObject({
			name: 'UnreachableError',
			message: 'http://127.0.0.1:1/v1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
		});
	});

	test('reports a missed deadline', async () => {
		const {url} = await httpStub(() => null);
		await expect(createCaller({url}).json({...call, deadlineMs: 50})).rejects.toMatchObject({
			name: 'UnreachableError',
			message: `${url} did not respond within 0.05 s.`,
		});
	});

	test.each([
		['no address', 'Invalid URL'],
		['ftp://127.0.0.1/v1', 'not an http or https URL'],
	])('reports the unsupported URL %s without Node.js wording', async (url, reason) => {
		await expect(createCaller({url}).json(call)).rejects.toThrow(`${url} cannot be reached: ${reason}.`);
	});

	test.each([
		['http://ann:secret@127.0.0.1:1/v1', 'http://127.0.0.1:1/v1'],
		['http://ann:secret@127.0.0.1:99999/v1', 'http://127.0.0.1:99999/v1'],
	])('omits the password of %s', async (url, shown) => {
		const error = await createCaller({url}).json(call).catch(inspect);
		expect(error).toContain(`${shown} cannot be reached`);
		expect(error).not.toContain('secret');
	});

	test('reports an API key that is not a valid header value', async () => {
		const {url} = await httpStub(() => null);
		await expect(createCaller({url, apiKey: 'a\nb'}).json({...call, auth: 'key'})).rejects.toThrow(
			`${url} cannot be reached: an API key or token contains an invalid character, such as a line break.`,
		);
	});

	test('is replaced by the reason of an aborted signal', async () => {
		const controller = new AbortController();
		const {url} = await httpStub(() => {
			controller.abort(new Error('enough'));
			return null;
		});
		await expect(createCaller({url}).json({...call, signal: controller.signal})).rejects.toThrow('enough');
	});
});

describe('a rejected API key', () => {
	test('is renewed once, and the call repeated', async () => {
		const {url, requests} = await httpStub(({headers}) =>
			headers['x-api-key'] === 'new'
				? {body: {id: 'i'}}
				: {status: 401, body: {code: 'unauthorized', detail: 'Unknown key.'}},
		);
		const {inboxes} = apiClient({
			url,
			apiKey: 'old',
			renewApiKey: async rejected => (rejected === 'old' ? 'new' : 'no'),
		});
		expect(await inboxes.create({name: 'a'})).toEqual({id: 'i'});
		expect(await inboxes.create({name: 'b'})).toEqual({id: 'i'});
		expect(requests.map(({headers, body}) => [headers['x-api-key'], body])).toEqual([
			['old', '{"name":"a"}'],
			['new', '{"name":"a"}'],
			['new', '{"name":"b"}'],
		]);
	});

	test('is an error without a renewal function', async () => {
		const {url} = await httpStub(() => ({status: 401, body: {code: 'unauthorized', detail: 'Unknown key.'}}));
		await expect(apiClient({url, apiKey: 'old'}).inboxes.get('i')).rejects.toMatchObject({status: 401});
	});
});
