import {once} from 'node:events';
import {connect} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {
	eventColumns,
	forwardTo,
	type ReceivedWebhook,
	type Responder,
	respondWith,
	startReceiver,
} from '../../../../../src/cli/commands/webhook-receiver.js';
import {printRow} from '../../../../../src/cli/output/table.js';
import {signedHeaders} from '../../../../../src/domain/webhooks/request.js';
import {fakeContext} from '../../../../helpers/context.js';
import {noResponse, startReceiver as startApp} from '../../../../helpers/webhook-receiver.js';

const secret = 'whsec_c2VjcmV0';
const body = '{"event":"message.received", "message":{"from":"ann@example.com","subject":"Grüße"}}';

async function startListening(responder: Responder = respondWith([200])) {
	const events: ReceivedWebhook[] = [];
	const now = () => new Date();
	const receiver = await startReceiver({secret, answer: responder, onEvent: event => events.push(event), now});
	onTestFinished(() => receiver.close());
	const send = async (text = body, headers: Record<string, string> = {}) => {
		const signed = signedHeaders({deliveryId: 'd1', event: 'message.received', body, secret, at: new Date()});
		return fetch(receiver.url, {method: 'POST', headers: {...signed, ...headers}, body: text});
	};
	return {url: receiver.url, events, send};
}

describe('webhooks listen', () => {
	test('accepts and reports a delivery with both signatures', async () => {
		const {send, events} = await startListening();
		expect((await send()).status).toBe(200);
		expect(events).toEqual([
			{
				received_at: expect.stringMatching(/^\d{4}-.*Z$/),
				event: 'message.received',
				delivery_id: 'd1',
				error: null,
				response_status: 200,
				forward_error: null,
				payload: JSON.parse(body),
			},
		]);
	});

	test.each([
		['a changed body', `${body} `, {}],
		['a wrong X-Tinbox-Signature', body, {'X-Tinbox-Signature': '0'.repeat(64)}],
		['a wrong webhook-signature', body, {'webhook-signature': 'v1,AAAA'}],
		['a changed delivery id', body, {'webhook-id': 'd2'}],
		['empty signatures', body, {'X-Tinbox-Signature': '', 'webhook-signature': ''}],
	])('rejects %s with 401 and reports the reason', async (_, text, headers) => {
		const {send, events} = await startListening();
		const response = await send(text, headers);
		expect(response.status).toBe(401);
		expect(events).toMatchObject([{response_status: 401, error: expect.stringContaining('does not match')}]);
		expect(await response.text()).toBe(`${events[0]?.error}\n`);
	});

	test('responds with a sequence of statuses and repeats the last status', async () => {
		const {send} = await startListening(respondWith([500, 204]));
		const statuses = [];
		for (let count = 0; count < 3; count += 1) {
			await send('forged');
			statuses.push((await send()).status);
		}

		expect(statuses).toEqual([500, 204, 204]);
	});

	test('rejects other methods than POST and bodies above 1 MiB', async () => {
		const {url, send, events} = await startListening();
		expect((await fetch(url)).status).toBe(405);
		expect((await send('x'.repeat(1024 * 1024))).status).toBe(401);
		const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
		socket.on('error', () => {});
		socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n${'x'.repeat(1024 * 1024 + 1)}`);
		expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 413 /);
		expect(events).toHaveLength(1);
	});

	test('prints no control characters of the payload and a fixed number of columns', async () => {
		const {context, written} = fakeContext();
		const subject = '\x1b]0;owned\x07\x1b[31mred\tcolumn\nline\u202e';
		printRow(context, eventColumns, {
			received_at: '2026-01-01T12:00:00.000Z',
			event: 'message.received',
			delivery_id: 'd1',
			error: null,
			response_status: 502,
			forward_error: 'http://127.0.0.1:1/ did not \x1b[2Janswer',
			payload: {message: {from: {}, subject}},
		});
		expect(written.stdout).toBe(
			'2026-01-01T12:00:00.000Z\tmessage.received\td1\t502\tverified\t\tred column line\thttp://127.0.0.1:1/ did not answer\n',
		);
	});
});

test('webhooks listen prints the sender and the reply of a fault hit', async () => {
	const {context, written} = fakeContext();
	printRow(context, eventColumns, {
		received_at: '2026-01-01T12:00:00.000Z',
		event: 'fault.hit',
		delivery_id: 'd1',
		error: null,
		response_status: 200,
		forward_error: null,
		payload: {hit: {envelope: {from: 'app@example.com', to: []}, reply: '451 4.7.1 Later'}},
	});
	expect(written.stdout).toBe(
		'2026-01-01T12:00:00.000Z\tfault.hit\td1\t200\tverified\tapp@example.com\t451 4.7.1 Later\t\n',
	);
});

describe('webhooks listen --forward-to', () => {
	test('forwards body and headers unchanged and returns the response', async () => {
		const app = await startApp((_, response) => {
			response.writeHead(418, {'x-app': 'yes', 'content-type': 'text/x-tea'}).end('short and stout');
		});
		const {send, events} = await startListening(forwardTo(app.url));
		const response = await send(body, {'content-type': 'application/json', 'x-more': 'a'});
		expect(response.status).toBe(418);
		expect(Object.fromEntries(response.headers)).toMatchObject({'x-app': 'yes', 'content-type': 'text/x-tea'});
		expect(await response.text()).toBe('short and stout');
		await expect.poll(() => events).toMatchObject([{error: null, response_status: 418}]);
		const [request] = app.requests;
		expect(request).toMatchObject({
			url: '/hook',
			body,
			headers: {
				host: new URL(app.url).host,
				'x-more': 'a',
				'content-type': 'application/json',
				'x-tinbox-delivery-id': 'd1',
				'webhook-id': 'd1',
				'webhook-signature': expect.stringMatching(/^v1,/),
			},
		});
	});

	test('does not forward a delivery with a wrong signature', async () => {
		const app = await startApp(200);
		const {send} = await startListening(forwardTo(app.url));
		expect((await send('forged')).status).toBe(401);
		expect(app.requests).toEqual([]);
	});

	test('responds with 502 if the target is unreachable', async () => {
		const {send, events} = await startListening(forwardTo('http://127.0.0.1:1/'));
		const response = await send();
		expect(response.status).toBe(502);
		const reason = 'No response from http://127.0.0.1:1/: connect ECONNREFUSED 127.0.0.1:1';
		expect(await response.text()).toBe(`${reason}\n`);
		await expect.poll(() => events).toMatchObject([{response_status: 502, forward_error: reason}]);
	});

	test('aborts forwarding if the sender closes the connection', async () => {
		const app = await startApp(noResponse);
		const {url, events} = await startListening(forwardTo(app.url));
		const headers = signedHeaders({deliveryId: 'd1', event: 'message.received', body, secret, at: new Date()});
		const controller = new AbortController();
		const request = fetch(url, {method: 'POST', headers, body, signal: controller.signal}).catch(() => 'aborted');
		await expect.poll(() => app.requests.length).toBe(1);
		controller.abort();
		expect(await request).toBe('aborted');
		await expect
			.poll(() => events)
			.toMatchObject([
				{response_status: 502, forward_error: expect.stringContaining('the sender closed the connection')},
			]);
	});

	test('truncates the response if the target closes the connection early', async () => {
		const app = await startApp((_, response) => {
			response.writeHead(200, {'content-length': '100'});
			response.write('half');
			setImmediate(() => response.destroy());
		});
		const {send, events} = await startListening(forwardTo(app.url));
		const response = await send();
		expect(response.status).toBe(200);
		await expect(response.text()).rejects.toThrow();
		await expect.poll(() => events).toMatchObject([{response_status: 200}]);
	});
});
