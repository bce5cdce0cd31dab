import {once} from 'node:events';
import https from 'node:https';
import net from 'node:net';
import {text} from 'node:stream/consumers';
import tls from 'node:tls';
import {afterAll, beforeAll, describe, expect, onTestFinished, test, vi} from 'vitest';
import {SecureListener} from '../../../src/http/server/server.js';
import {sendRaw} from '../../helpers/raw-http.js';
import {mail, openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';
import {openTestCertificates, type TestCertificates} from '../tls/test-certificates.js';
import {foreignRequests, ownRequests, type RequestVariant} from './request-variants.js';

let certificates: TestCertificates;
let close: () => Promise<void>;
let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	({certificates, close} = await openTestCertificates());
	tinbox = await Tinbox.open({certificates, settings: {httpsPort: 0}});
	ann = await tinbox.user('ann', 'localhost');
});
afterAll(async () => {
	await tinbox.close();
	await close();
});

const portOf = ({secureUrl}: Tinbox) => Number(new URL(secureUrl).port);

/** Sends a request with a client that verifies the certificate. */
async function get({secureUrl}: Tinbox, path: string, key = ann.key): Promise<{status: number; body: string}> {
	const [response] = await once(
		https.get(secureUrl + path, {ca: certificates.ca, agent: false, headers: {'X-API-Key': key}}),
		'response',
	);
	return {status: response.statusCode, body: await text(response)};
}

test('the cookie of a web session is marked as Secure', async () => {
	const headers = {'X-API-Key': ann.key, 'X-Tinbox-App': '1'};
	const url = tinbox.secureUrl.replace(/\/v1$/, '/app/session');
	const request = https.request(url, {method: 'POST', ca: certificates.ca, agent: false, headers}).end();
	const [response] = await once(request, 'response');
	response.resume();
	expect(response.headers['set-cookie']).toEqual([
		expect.stringMatching(
			new RegExp(
				`^tinbox_session_${portOf(tinbox)}=[\\w-]{43}; Path=/app; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$`,
			),
		),
	]);
});

/** Swaps http and https in a request variant. */
function overTls(spelling: RequestVariant): RequestVariant {
	const turned = (url: string) => url.replace(/\b(http)(s?):\/\//, (_, scheme, s) => `${scheme}${s ? '' : 's'}://`);
	return request => {
		const {target, headers, ...rest} = spelling(request);
		return {...rest, ...(target !== undefined && {target: turned(target)}), headers: headers.map(turned)};
	};
}

async function sendSecure(spelling: RequestVariant): Promise<{status: number; body: string}> {
	const port = portOf(tinbox);
	const path = '/v1/inboxes';
	const {target = path, version = '1.1', headers} = overTls(spelling)({ownHost: `127.0.0.1:${port}`, port, path});
	const lines = [`GET ${target} HTTP/${version}`, ...headers, `X-API-Key: ${ann.key}`, 'Connection: close', '', ''];
	const socket = tls.connect({port, host: '127.0.0.1', ca: certificates.ca});
	return sendRaw(port, lines.join('\r\n'), socket);
}

describe('the API over TLS', () => {
	test('responds to clients that verify the certificate', async () => {
		expect(await get(tinbox, '/health')).toMatchObject({status: 200, body: expect.stringContaining('"ok"')});
		expect(await get(tinbox, '/inboxes')).toMatchObject({status: 200});
		expect(await get(tinbox, '/inboxes', 'wrong')).toMatchObject({status: 401});
	});

	test('is listed in GET /daemon with its certificate authority', async () => {
		expect(JSON.parse((await get(tinbox, '/daemon')).body)).toMatchObject({
			tls: {https_url: tinbox.secureUrl, ca: certificates.ca},
		});
	});

	test.each(Object.entries(foreignRequests))('is closed to %s', async (_, spelling) => {
		expect([400, 403, 421]).toContain((await sendSecure(spelling)).status);
	});

	test.each(Object.entries(ownRequests))('is open to %s', async (_, spelling) => {
		expect(await sendSecure(spelling)).toMatchObject({status: 200});
	});

	test('returns links to itself', async () => {
		const {key} = ann;
		const inbox = JSON.parse(await (await tinbox.request('POST', '/inboxes', {key, body: {}})).text());
		await tinbox.deliver(inbox.email_address, mail('Hi'));
		const request = https.request(`${tinbox.secureUrl}/inboxes/${inbox.id}/messages/latest/preview`, {
			method: 'POST',
			ca: certificates.ca,
			agent: false,
			headers: {'X-API-Key': key},
		});
		const [response] = await once(request.end(), 'response');
		const {url} = JSON.parse(await text(response));
		expect(url).toMatch(new RegExp(`^${tinbox.secureUrl}/previews/`));
		const [page] = await once(https.get(url, {ca: certificates.ca, agent: false}), 'response');
		page.resume();
		expect(page.statusCode).toBe(200);
	});

	test('handles large requests and responses', async () => {
		const {email_address: to, id} = JSON.parse(
			await (await tinbox.request('POST', '/inboxes', {key: ann.key, body: {}})).text(),
		);
		const source = mail('Large', 'All work and no play. '.repeat(200_000));
		await tinbox.deliver(to, source);
		expect(await get(tinbox, `/inboxes/${id}/messages/latest/raw`)).toEqual({status: 200, body: source});
		const body = JSON.stringify({name: 'x'.repeat(1_000_000)});
		const request = https.request(`${tinbox.secureUrl}/inboxes`, {
			method: 'POST',
			ca: certificates.ca,
			agent: false,
			headers: {'X-API-Key': ann.key, 'Content-Type': 'application/json'},
		});
		const [response] = await once(request.end(body), 'response');
		expect([response.statusCode, await text(response)]).toEqual([400, expect.stringContaining('"name"')]);
	});

	test('streams events', async () => {
		const options = {ca: certificates.ca, agent: false, headers: {'X-API-Key': ann.key}};
		const [stream] = await once(https.get(`${tinbox.secureUrl}/events`, options), 'response');
		onTestFinished(() => void stream.destroy());
		let received = '';
		stream.setEncoding('utf8').on('data', (piece: string) => {
			received += piece;
		});
		const {email_address: to} = JSON.parse(
			await (await tinbox.request('POST', '/inboxes', {key: ann.key, body: {}})).text(),
		);
		await vi.waitFor(() => expect(received).toContain(to));
	});

	test('finishes active requests when it stops, and closes other connections', async () => {
		const lookupStarted = new AbortController();
		const lookupAllowed = new AbortController();
		const ending = await openTinbox({
			certificates,
			settings: {httpsPort: 0},
			wrapStore: store => ({
				...store,
				keys: {
					...store.keys,
					async byHash(hash) {
						lookupStarted.abort();
						await once(lookupAllowed.signal, 'abort');
						return store.keys.byHash(hash);
					},
				},
			}),
		});
		const {key} = await ending.user('ann');
		const handshake = net.connect(portOf(ending), '127.0.0.1').on('error', () => {});
		const idle = tls.connect({port: portOf(ending), host: '127.0.0.1', ca: certificates.ca});
		idle.on('error', () => {}).resume();
		await Promise.all([once(handshake, 'connect'), once(idle, 'secureConnect')]);
		handshake.resume();
		const isStarted = once(lookupStarted.signal, 'abort');
		const answer = get(ending, '/inboxes', key);
		await isStarted;
		const ended = Promise.all([once(handshake, 'close'), once(idle, 'close')]);
		const stopped = ending.stopServer();
		lookupAllowed.abort();
		expect(await answer).toMatchObject({status: 200});
		await Promise.all([ended, stopped]);
	});
});

describe('TLS handshakes', () => {
	test('occupy connection slots and are closed first', async () => {
		const small = await openTinbox({certificates, settings: {httpsPort: 0, maxHttpConnections: 5}});
		let open = 0;
		const sockets = Array.from({length: 40}, () => {
			const socket = net.connect(portOf(small), '127.0.0.1');
			onTestFinished(() => void socket.destroy());
			return socket
				.on('connect', () => open++)
				.on('error', () => {})
				.on('close', () => open--)
				.resume();
		});
		await Promise.all(sockets.map(async socket => once(socket, 'connect')));
		await vi.waitFor(() => expect(open).toBeLessThanOrEqual(5));
		const {key} = await small.user('ann');
		expect(await get(small, '/inboxes', key)).toMatchObject({status: 200});
		expect((await small.request('GET', '/inboxes', {key})).status).toBe(200);
	});

	test('with other data than TLS are closed without affecting other connections', async () => {
		const socket = net.connect(portOf(tinbox), '127.0.0.1').resume();
		socket.write('GET / HTTP/1.1\r\n\r\n');
		await once(socket, 'close');
		expect(await get(tinbox, '/health')).toMatchObject({status: 200});
	});

	test('are closed if the client renegotiates', async () => {
		const socket = tls.connect({port: portOf(tinbox), host: '127.0.0.1', ca: certificates.ca, maxVersion: 'TLSv1.2'});
		socket.on('error', () => {}).resume();
		await once(socket, 'secureConnect');
		const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
		socket.renegotiate({}, () => {});
		await closed;
		expect(await get(tinbox, '/health')).toMatchObject({status: 200});
	});

	test('are closed after a timeout', async () => {
		vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
		onTestFinished(() => void vi.useRealTimers());
		let begun = 0;
		const listener = new SecureListener(
			{port: 0, certificates},
			{takePlace: () => true, add: () => begun++, serve: () => {}},
		);
		await listener.listen('127.0.0.1', 10);
		onTestFinished(async () => listener.close());
		const socket = net.connect(listener.port, '127.0.0.1').resume();
		const closed = once(socket, 'close');
		await once(socket, 'connect');
		while (begun === 0) {
			await new Promise(setImmediate);
		}

		vi.advanceTimersByTime(9999);
		expect(socket.destroyed).toBe(false);
		vi.advanceTimersByTime(1);
		await closed;
	});
});
