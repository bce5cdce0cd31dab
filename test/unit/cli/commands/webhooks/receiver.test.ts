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

async function startListening(answer: Responder = respondWith([200])) {
	const events: ReceivedWebhook[] = [];
	const now = () => new Date();
	const receiver = await startReceiver({secret, answer, onEvent: event => events.push(event), now});
	onTestFinished(() => receiver.close());
	const send = async (text = body, headers: Record<string, string> = {}) => {
		const signed = signedHeaders({deliveryId: 'd1', event: 'message.received', body, secret, at: new Date()});
		return fetch(receiver.url, {method: 'POST', headers: {...signed, ...headers}, body: text});
	};
	return {url: receiver.url, events, send};
}

describe('the receiver of webhooks listen', () => {
	test('answers what is signed in both ways, and tells of it', async () => {
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
		['a body that is not the signed one', `${body} `, {}],
		['a wrong X-Tinbox-Signature', body, {'X-Tinbox-Signature': '0'.repeat(64)}],
		['a wrong webhook-signature', body, {'webhook-signature': 'v1,AAAA'}],
		['another delivery id than the signed one', body, {'webhook-id': 'd2'}],
		['no signature at all', body, {'X-Tinbox-Signature': '', 'webhook-signature': ''}],
	])('refuses %s with 401, and tells why', async (_, text, headers) => {
		const {send, events} = await startListening();
		const response = await send(text, headers);
		expect(response.status).toBe(401);
		expect(events).toMatchObject([{response_status: 401, error: expect.stringContaining('does not match')}]);
		expect(await response.text()).toBe(`${events[0]?.error}\n`);
	});

	test('answers with a sequence of statuses of which the last one stays', async () => {
		const {send} = await startListening(respondWith([500, 204]));
		const statuses = [];
		for (let count = 0; count < 3; count += 1) {
			await send('forged');
			statuses.push((await send()).status);
		}

		expect(statuses).toEqual([500, 204, 204]);
	});

	test('takes nothing but POST, and no body of more than 1 MiB', async () => {
		const {url, send, events} = await startListening();
		expect((await fetch(url)).status).toBe(405);
		expect((await send('x'.repeat(1024 * 1024))).status).toBe(401);
		const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
		socket.on('error', () => {});
		socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n${'x'.repeat(1024 * 1024 + 1)}`);
		expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 413 /);
		expect(events).toHaveLength(1);
	});

	test('prints no control character of what it got, and always the same columns', async () => {
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

test('what webhooks listen prints of a fault that acted is the sender and the reply', async () => {
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
	test('passes the body and the headers on as they came, and the answer back', async () => {
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

	test('passes on nothing that is signed wrongly', async () => {
		const app = await startApp(200);
		const {send} = await startListening(forwardTo(app.url));
		expect((await send('forged')).status).toBe(401);
		expect(app.requests).toEqual([]);
	});

	test('answers with 502 when nobody answers there', async () => {
		const {send, events} = await startListening(forwardTo('http://127.0.0.1:1/'));
		const response = await send();
		expect(response.status).toBe(502);
		const why = 'No response from http://127.0.0.1:1/: connect ECONNREFUSED 127.0.0.1:1';
		expect(await response.text()).toBe(`${why}\n`);
		await expect.poll(() => events).toMatchObject([{response_status: 502, forward_error: why}]);
	});

	test('gives up when the sender has left', async () => {
		const app = await startApp(noResponse);
		const {url, events} = await startListening(forwardTo(app.url));
		const headers = signedHeaders({deliveryId: 'd1', event: 'message.received', body, secret, at: new Date()});
		const leaving = new AbortController();
		const request = fetch(url, {method: 'POST', headers, body, signal: leaving.signal}).catch(() => 'left');
		await expect.poll(() => app.requests.length).toBe(1);
		leaving.abort();
		expect(await request).toBe('left');
		await expect
			.poll(() => events)
			.toMatchObject([
				{response_status: 502, forward_error: expect.stringContaining('the sender closed the connection')},
			]);
	});

	test('passes on what the app managed to send before it broke off', async () => {
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
