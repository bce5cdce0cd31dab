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

/** Endpoints of which one has a single delivery; what was asked of them is kept. */
function fakeWebhooks(delivery = deliveryBody(), endpoints = [endpointBody()]) {
	const asked: {created?: CreateEndpoint; updated?: UpdateEndpoint; deleted?: string; redelivered?: string} = {};
	const calls: FakeCalls = {
		webhooks: {
			async create(body) {
				asked.created = body;
				return {...endpointBody({url: body.url}), secret: body.secret ?? secret};
			},
			list: async () => ({endpoints}),
			get: async id => ({...endpointBody({id}), recent_deliveries: [delivery]}),
			async update(id, body) {
				asked.updated = body;
				return endpointBody({id});
			},
			async delete(id) {
				asked.deleted = id;
				return {message: 'Gone.'};
			},
			deliveries: async (_, {page = 1, limit = 20, status} = {}) => ({
				deliveries: status === undefined || status === delivery.status ? [delivery] : [],
				pagination: {page, limit, total: 3, pages: 1},
			}),
			test: async () => ({delivery}),
			async redeliver(_, id) {
				asked.redelivered = id;
				return {delivery};
			},
		},
	};
	return {calls, asked};
}

describe('webhooks create', () => {
	test('prints the id alone, and the generated secret once on stderr', async () => {
		const {calls, asked} = fakeWebhooks();
		expect(await runFake(['webhooks', 'create', url], calls)).toEqual({
			exitCode: 0,
			stdout: 'endpoint-1\n',
			stderr: `Signing secret (shown only once): ${secret}\n`,
		});
		expect(asked.created).toEqual({url});
	});

	test('--json prints everything on stdout, the secret included', async () => {
		const {stdout, stderr} = await runFake(['webhooks', 'create', url, '--json'], fakeWebhooks().calls);
		expect(JSON.parse(stdout)).toEqual({...endpointBody({url}), secret});
		expect(stderr).toBe('');
	});

	test('takes a secret from a flag, a file or the environment, and does not repeat it', async () => {
		const file = path.join(await tempDir(), 'secret');
		await writeFile(file, 'from a file\n');
		const env = {TINBOX_WEBHOOK_SECRET: 'from the environment'};
		for (const [flags, expected] of [
			[['--secret', 'from a flag'], 'from a flag'],
			[['--secret-file', file], 'from a file'],
			[[], 'from the environment'],
		] as const) {
			const {calls, asked} = fakeWebhooks();
			const {stdout, stderr} = await runFake(['webhooks', 'create', url, ...flags], calls, {env});
			expect({stdout, stderr}).toEqual({stdout: 'endpoint-1\n', stderr: ''});
			expect(asked.created).toEqual({url, secret: expected});
		}
	});

	test('takes what to tell of, once or several times', async () => {
		const {calls, asked} = fakeWebhooks();
		await runFake(['webhooks', 'create', '--event', 'fault.hit', '--event', 'message.received', url], calls);
		expect(asked.created).toEqual({url, events: ['fault.hit', 'message.received']});
		const {exitCode, stderr} = await runFake(['webhooks', 'create', '--event', 'fault', url], calls);
		expect(exitCode).toBe(2);
		expect(stderr).toContain('Unknown event. The events are: message.received, fault.hit, email.delivered');
	});
});

describe('lists of webhooks', () => {
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

	test('are the objects of the API under --json', async () => {
		const {calls} = fakeWebhooks();
		const {stdout} = await runFake(['webhooks', 'deliveries', 'endpoint-1', '--status', 'delivered', '--json'], calls);
		const pagination = {page: 1, limit: 20, total: 3, pages: 1};
		expect(JSON.parse(stdout)).toEqual({deliveries: [deliveryBody()], pagination});
		expect((await runFake(['webhooks', 'list', '--json=id'], calls)).stdout).toBe('[{"id":"endpoint-1"}]\n');
	});

	test('print no control character of a response', async () => {
		const {calls} = fakeWebhooks(deliveryBody({response_body: '\x1b]0;owned\x07\x1b[31mred\nline\tcolumn\u202e'}));
		for (const options of [{}, {terminal}]) {
			const {stdout} = await runFake(['webhooks', 'deliveries', 'endpoint-1'], calls, options);
			expect(stdout).toContain('red line column');
			expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\u202e]|owned/);
		}
	});
});

test('webhooks show prints the endpoint, and on a terminal its latest deliveries', async () => {
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
	])('%j changes just that', async (flags, body) => {
		const {calls, asked} = fakeWebhooks();
		const env = {TINBOX_WEBHOOK_SECRET: 'not asked for'};
		const {stdout} = await runFake(['webhooks', 'update', 'endpoint-1', ...flags], calls, {env});
		expect(stdout).toBe('endpoint-1\n');
		expect(asked.updated).toEqual(body);
	});

	test('needs something to change', async () => {
		const {exitCode, stderr} = await runFake(['webhooks', 'update', 'endpoint-1'], fakeWebhooks().calls);
		expect(exitCode).toBe(2);
		expect(stderr).toContain('There is nothing to change.\nUse at least one of --url');
	});
});

describe.each([
	['test', ['webhooks', 'test', 'endpoint-1']],
	['redeliver', ['webhooks', 'redeliver', 'endpoint-1', 'delivery-1']],
])('webhooks %s', (_, args) => {
	test('prints the delivery that the receiver acknowledged', async () => {
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
	])('exits with 6 when the answer is %j', async (fields, says) => {
		const {calls} = fakeWebhooks(deliveryBody({status: 'failed', ...fields}));
		const {exitCode, stdout, stderr} = await runFake(args, calls);
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(stderr).toContain(says);
		const inJson = await runFake([...args, '--json'], calls);
		expect(inJson.stdout).toBe('');
		expect(JSON.parse(inJson.stderr)).toMatchObject({error: {code: 'not_delivered', delivery: fields}});
	});
});

test('webhooks redeliver takes the latest delivery by that word', async () => {
	const {calls, asked} = fakeWebhooks(deliveryBody({id: 'the-newest'}));
	await runFake(['webhooks', 'redeliver', 'endpoint-1', 'latest'], calls);
	expect(asked.redelivered).toBe('the-newest');
});

describe('an endpoint is found', () => {
	const twins = [endpointBody({id: 'a', url: 'http://x/'}), endpointBody({id: 'b', url: 'http://x/'}), endpointBody()];

	test('by its id without a look, and by its URL', async () => {
		const {calls, asked} = fakeWebhooks(deliveryBody(), twins);
		await runFake(['webhooks', 'delete', 'some-id'], calls);
		expect(asked.deleted).toBe('some-id');
		const {exitCode, stderr} = await runFake(['webhooks', 'delete', url], calls);
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: 'Deleted webhook endpoint endpoint-1.\n'});
	});

	test('unless several have the URL, or none', async () => {
		const {calls} = fakeWebhooks(deliveryBody(), twins);
		const several = await runFake(['webhooks', 'delete', 'http://x/'], calls);
		expect(several).toMatchObject({
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
])('%j is refused with the right way to write it', async (args, says) => {
	const {exitCode, stdout, stderr} = await runFake(args, fakeWebhooks().calls);
	expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
	expect(stderr).toContain(says);
});
