import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {CreateEndpoint, UpdateEndpoint} from '../../../../../src/contract/webhooks.js';
import {deliveryBody, endpointBody} from '../../../../helpers/bodies.js';
import {type FakeCalls, runFake} from '../../../../helpers/context.js';
import {tempDir} from '../../../../helpers/temp-dir.js';

const secret = 'whsec_c2VjcmV0';
const url = 'http://127.0.0.1:3000/hook';
const terminal = {isTTY: true, columns: 200};

/** An API with these endpoints, each with the same delivery; changes are recorded in `requests`. */
function fakeWebhooks(delivery = deliveryBody(), endpoints = [endpointBody()]) {
	const requests: {created?: CreateEndpoint; updated?: UpdateEndpoint; deleted?: string; redelivered?: string} = {};
	const calls: FakeCalls = {
		webhooks: {
			async create(body) {
				requests.created = body;
				return {...endpointBody({url: body.url}), secret: body.secret ?? secret};
			},
			list: async () => ({endpoints}),
			get: async id => ({...endpointBody({id}), recent_deliveries: [delivery]}),
			async update(id, body) {
				requests.updated = body;
				return endpointBody({id});
			},
			async delete(id) {
				requests.deleted = id;
				return {message: 'Gone.'};
			},
			deliveries: async (_, {page = 1, limit = 20, status} = {}) => ({
				deliveries: status === undefined || status === delivery.status ? [delivery] : [],
				pagination: {page, limit, total: 3, pages: 1},
			}),
			test: async () => ({delivery}),
			async redeliver(_, id) {
				requests.redelivered = id;
				return {delivery};
			},
		},
	};
	return {calls, requests};
}

describe('webhooks create', () => {
	test('prints the id to stdout and the generated secret to stderr', async () => {
		const {calls, requests} = fakeWebhooks();
		expect(await runFake(['webhooks', 'create', url], calls)).toEqual({
			exitCode: 0,
			stdout: 'endpoint-1\n',
			stderr: `Signing secret (shown only once): ${secret}\n`,
		});
		expect(requests.created).toEqual({url});
	});

	test('--json prints the endpoint with the secret to stdout', async () => {
		const {stdout, stderr} = await runFake(['webhooks', 'create', url, '--json'], fakeWebhooks().calls);
		expect(JSON.parse(stdout)).toEqual({...endpointBody({url}), secret});
		expect(stderr).toBe('');
	});

	test('reads a secret from a flag, a file or the environment and does not print it', async () => {
		const file = path.join(await tempDir(), 'secret');
		await writeFile(file, 'from a file\n');
		const env = {TINBOX_WEBHOOK_SECRET: 'from the environment'};
		for (const [flags, expected] of [
			[['--secret', 'from a flag'], 'from a flag'],
			[['--secret-file', file], 'from a file'],
			[[], 'from the environment'],
		] as const) {
			const {calls, requests} = fakeWebhooks();
			const {stdout, stderr} = await runFake(['webhooks', 'create', url, ...flags], calls, {env});
			expect({stdout, stderr}).toEqual({stdout: 'endpoint-1\n', stderr: ''});
			expect(requests.created).toEqual({url, secret: expected});
		}
	});

	test('accepts --event several times and rejects unknown events', async () => {
		const {calls, requests} = fakeWebhooks();
		await runFake(['webhooks', 'create', '--event', 'fault.hit', '--event', 'message.received', url], calls);
		expect(requests.created).toEqual({url, events: ['fault.hit', 'message.received']});
		const {exitCode, stderr} = await runFake(['webhooks', 'create', '--event', 'fault', url], calls);
		expect(exitCode).toBe(2);
		expect(stderr).toContain('Unknown event. The events are: message.received, fault.hit, email.delivered');
	});
});

describe('lists of webhook endpoints and deliveries', () => {
	test('are tab-separated when piped', async () => {
		const {calls} = fakeWebhooks();
		expect((await runFake(['webhooks', 'list'], calls)).stdout).toBe(
			`endpoint-1\t${url}\tmessage.received\tactive\t2026-01-01T11:55:00.000Z\n`,
		);
		expect((await runFake(['webhooks', 'deliveries', 'endpoint-1'], calls)).stdout).toBe(
			'delivery-1\tmessage.received\tdelivered\t1\t200\t2026-01-01T11:59:56.000Z\t2026-01-01T11:59:57.000Z\tok\n',
		);
	});

	test('are tables on a terminal', async () => {
		const {stdout, stderr} = await runFake(['webhooks', 'deliveries', 'endpoint-1'], fakeWebhooks().calls, {terminal});
		expect(stdout).toBe(
			[
				'ID          EVENT             STATUS     ATTEMPTS  CODE  CREATED   LAST ATTEMPT  RESPONSE',
				'delivery-1  message.received  delivered  1         200   just now  just now      ok',
				'',
			].join('\n'),
		);
		expect(stderr).toBe('1 of 3 deliveries. See all: tinbox webhooks deliveries endpoint-1 --all\n');
	});

	test('are the API objects with --json', async () => {
		const {calls} = fakeWebhooks();
		const {stdout} = await runFake(['webhooks', 'deliveries', 'endpoint-1', '--status', 'delivered', '--json'], calls);
		const pagination = {page: 1, limit: 20, total: 3, pages: 1};
		expect(JSON.parse(stdout)).toEqual({deliveries: [deliveryBody()], pagination});
		expect((await runFake(['webhooks', 'list', '--json=id'], calls)).stdout).toBe('[{"id":"endpoint-1"}]\n');
	});

	test('contain no control characters of a response', async () => {
		const {calls} = fakeWebhooks(deliveryBody({response_body: '\x1b]0;owned\x07\x1b[31mred\nline\tcolumn\u202e'}));
		for (const options of [{}, {terminal}]) {
			const {stdout} = await runFake(['webhooks', 'deliveries', 'endpoint-1'], calls, options);
			expect(stdout).toContain('red line column');
			expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\u202e]|owned/);
		}
	});
});

test('webhooks show prints the endpoint, and its latest deliveries on a terminal', async () => {
	const {calls} = fakeWebhooks();
	const piped = await runFake(['webhooks', 'show', 'endpoint-1'], calls);
	expect(piped.stdout).toBe(
		[
			'id\tendpoint-1',
			`url\t${url}`,
			'format\ttinbox',
			'verification_key\t',
			'events\tmessage.received',
			'is_active\ttrue',
			'created_at\t2026-01-01T11:55:00.000Z',
			'',
		].join('\n'),
	);
	const shown = await runFake(['webhooks', 'show', 'endpoint-1'], calls, {terminal});
	expect(shown.stdout).toMatch(/delivery-1 .* delivered .* just now\n$/);
	const {stdout} = await runFake(['webhooks', 'show', 'endpoint-1', '--json=recent_deliveries'], calls);
	expect(JSON.parse(stdout)).toEqual({recent_deliveries: [deliveryBody()]});
});

describe('webhooks update', () => {
	test.each([
		[['--url', 'http://x/'], {url: 'http://x/'}],
		[['--no-active'], {is_active: false}],
		[['--event', 'fault.hit'], {events: ['fault.hit']}],
		[['--active', '--secret', 's'], {is_active: true, secret: 's'}],
	])('%j changes only the named fields', async (flags, body) => {
		const {calls, requests} = fakeWebhooks();
		const env = {TINBOX_WEBHOOK_SECRET: 'unused'};
		const {stdout} = await runFake(['webhooks', 'update', 'endpoint-1', ...flags], calls, {env});
		expect(stdout).toBe('endpoint-1\n');
		expect(requests.updated).toEqual(body);
	});

	test('requires at least one change', async () => {
		const {exitCode, stderr} = await runFake(['webhooks', 'update', 'endpoint-1'], fakeWebhooks().calls);
		expect(exitCode).toBe(2);
		expect(stderr).toContain('There is nothing to change.\nUse at least one of --url');
	});
});

describe.each([
	['test', ['webhooks', 'test', 'endpoint-1']],
	['redeliver', ['webhooks', 'redeliver', 'endpoint-1', 'delivery-1']],
])('webhooks %s', (_, args) => {
	test('prints the acknowledged delivery', async () => {
		const {calls} = fakeWebhooks();
		expect(await runFake(args, calls)).toEqual({
			exitCode: 0,
			stdout: 'delivery-1\tmessage.received\tdelivered\t1\t200\t2026-01-01T11:59:56.000Z\n',
			stderr: '',
		});
		expect((await runFake([...args, '--json=id,status'], calls)).stdout).toBe(
			'{"id":"delivery-1","status":"delivered"}\n',
		);
	});

	test.each([
		[{response_status: 500, response_body: 'It\nbroke \x1b[31m'}, 'The endpoint responded with status 500: It broke'],
		[{response_status: 404, response_body: ''}, 'The endpoint responded with status 404.'],
		[{response_status: null, response_body: 'connect ECONNREFUSED'}, 'No response from the endpoint: connect ECONN'],
	])('exits with 6 if the response is %j', async (fields, message) => {
		const {calls} = fakeWebhooks(deliveryBody({status: 'failed', ...fields}));
		const {exitCode, stdout, stderr} = await runFake(args, calls);
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(stderr).toContain(message);
		const inJson = await runFake([...args, '--json'], calls);
		expect(inJson.stdout).toBe('');
		expect(JSON.parse(inJson.stderr)).toMatchObject({error: {code: 'not_delivered', delivery: fields}});
	});
});

test('webhooks redeliver accepts "latest" for the newest delivery', async () => {
	const {calls, requests} = fakeWebhooks(deliveryBody({id: 'the-newest'}));
	await runFake(['webhooks', 'redeliver', 'endpoint-1', 'latest'], calls);
	expect(requests.redelivered).toBe('the-newest');
});

describe('webhooks delete', () => {
	const twins = [endpointBody({id: 'a', url: 'http://x/'}), endpointBody({id: 'b', url: 'http://x/'}), endpointBody()];

	test('sends an id as given and resolves a URL to the id', async () => {
		const {calls, requests} = fakeWebhooks(deliveryBody(), twins);
		await runFake(['webhooks', 'delete', 'some-id'], calls);
		expect(requests.deleted).toBe('some-id');
		const {exitCode, stderr} = await runFake(['webhooks', 'delete', url], calls);
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: 'Deleted webhook endpoint endpoint-1.\n'});
	});

	test('rejects an ambiguous or unknown URL', async () => {
		const {calls} = fakeWebhooks(deliveryBody(), twins);
		const ambiguous = await runFake(['webhooks', 'delete', 'http://x/'], calls);
		expect(ambiguous).toMatchObject({
			exitCode: 2,
			stderr: '2 webhook endpoints have the URL http://x/.\nUse the id of one of them:\n  a\n  b\n',
		});
		expect(await runFake(['webhooks', 'delete', 'http://y/'], calls)).toMatchObject({
			exitCode: 5,
			stderr: expect.stringContaining('There is no webhook endpoint with the URL http://y/.'),
		});
	});
});

test.each([
	[['webhooks', 'listen', '--respond', '500,ok'], 'It must be a list of statuses from 200 to 599'],
	[['webhooks', 'listen', '--respond', '100'], 'statuses from 200 to 599'],
	[['webhooks', 'listen', '--forward-to', 'localhost:3000'], 'It must be a URL such as'],
	[['webhooks', 'listen', '--forward-to', 'http://x/', '--respond', '500'], 'cannot be used with'],
	[['webhooks', 'create', url, '--secret', 'a', '--secret-file', 'b'], 'cannot be used with'],
	[['webhooks', 'deliveries', 'x', '--status', 'lost'], 'pending, delivered, failed, dead'],
])('%j is rejected with an error that names the supported form', async (args, message) => {
	const {exitCode, stdout, stderr} = await runFake(args, fakeWebhooks().calls);
	expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
	expect(stderr).toContain(message);
});
