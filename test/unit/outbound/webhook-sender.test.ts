import {spawn, spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import https from 'node:https';
import type {AddressInfo} from 'node:net';
import {createServer, type Socket} from 'node:net';
import path from 'node:path';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {createTargetPolicy} from '../../../src/domain/webhooks/target.js';
import {HostResolver, type Resolve} from '../../../src/lib/io/resolver.js';
import {
	createWebhookSender,
	maxResponseBytes,
	type WebhookSenderOptions,
} from '../../../src/outbound/webhook-sender.js';
import {issue} from '../../../src/tls/issue.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {noResponse, startReceiver} from '../../helpers/webhook-receiver.js';
import {LoopWatch} from '../../slow/proof/loop-watch.js';

const onLoopback = createTargetPolicy({localAllowed: true});
const beyondLoopback = createTargetPolicy({localAllowed: false});

function createSender({resolve, ...options}: Partial<WebhookSenderOptions & {resolve: Resolve}> = {}) {
	const sender = createWebhookSender({
		allows: onLoopback,
		...(resolve && {names: new HostResolver(resolve)}),
		...options,
	});
	onTestFinished(() => sender.close());
	return (url: string, signal?: AbortSignal) =>
		sender.send({
			userId: 'ann',
			url,
			headers: {'X-Tinbox-Event': 'message.received'},
			body: '{"a":"ü"}',
			...(signal && {signal}),
		});
}

/** Starts a server that writes `bytes` to each client that sends data, and then calls `more`. */
async function startRaw(bytes: string | Buffer, more: (socket: Socket) => void = () => {}): Promise<string> {
	const sockets = new Set<Socket>();
	const server = createServer(socket => {
		sockets.add(socket);
		socket.on('error', () => {});
		socket.once('data', () => {
			socket.write(bytes);
			more(socket);
		});
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close();
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes the chunk repeatedly until the socket is destroyed. */
function flood(chunk: string | Buffer) {
	return (socket: Socket) => {
		const write = () => {
			while (!socket.destroyed && socket.write(chunk)) {
				// Writes until the buffers are full.
			}
		};
		socket.on('drain', write);
		write();
	};
}

describe('a webhook attempt', () => {
	test('posts the body unchanged with the given headers and the JSON content type', async () => {
		const receiver = await startReceiver(202);
		expect(await createSender()(receiver.url)).toEqual({ok: true, status: 202, body: 'status 202'});
		expect(receiver.requests).toMatchObject([
			{
				url: '/hook',
				body: '{"a":"ü"}',
				headers: {
					'content-type': 'application/json',
					'content-length': '10',
					'x-tinbox-event': 'message.received',
					'user-agent': expect.stringMatching(/^tinbox\/\d/),
				},
			},
		]);
	});

	test.each([301, 302, 307, 308, 304, 400, 404, 410, 429, 500, 503])('fails with status %i', async status => {
		const receiver = await startReceiver(status);
		expect(await createSender()(receiver.url)).toMatchObject({ok: false, status});
		expect(receiver.requests).toHaveLength(1);
	});

	test('does not follow a redirect', async () => {
		const elsewhere = await startReceiver(200);
		const receiver = await startReceiver((_, response) => response.writeHead(307, {Location: elsewhere.url}).end());
		expect(await createSender()(receiver.url)).toEqual({ok: false, status: 307, body: ''});
		expect(elsewhere.requests).toEqual([]);
	});

	test('reuses the connection of an earlier attempt', async () => {
		const receiver = await startReceiver(200);
		const send = createSender();
		for (let attempt = 0; attempt < 20; attempt += 1) {
			await send(receiver.url);
		}

		expect(receiver.connections).toBeLessThanOrEqual(2);
	});

	test('reports why there was no response', async () => {
		const raw = await startRaw('', socket => socket.destroy());
		expect(await createSender()('http://127.0.0.1:1/')).toEqual({
			ok: false,
			status: null,
			body: expect.stringContaining('ECONNREFUSED'),
		});
		expect(await createSender()(raw)).toMatchObject({ok: false, status: null, body: expect.stringMatching(/./)});
		expect(await createSender()('http://nowhere.invalid/')).toMatchObject({ok: false, status: null});
		expect(await createSender()('http://999.0.0.1/')).toEqual({ok: false, status: null, body: 'Invalid URL'});
	});

	test('times out if the receiver does not respond', async () => {
		const receiver = await startReceiver(noResponse);
		const attempt = await createSender({timeoutMs: 50})(receiver.url);
		expect(attempt).toEqual({ok: false, status: null, body: 'No response within 0.05 s.'});
	});

	test('times out if the host name is not resolved', async () => {
		const attempt = await createSender({timeoutMs: 50, resolve: () => {}})('http://somewhere.test/');
		expect(attempt).toEqual({ok: false, status: null, body: 'No response within 0.05 s.'});
	});

	test('is interrupted when the daemon stops', async () => {
		const receiver = await startReceiver(noResponse);
		const stop = new AbortController();
		const attempt = createSender()(receiver.url, stop.signal);
		await vi.waitFor(() => expect(receiver.requests).toHaveLength(1));
		stop.abort();
		expect(await attempt).toEqual({ok: false, status: null, body: 'The attempt was interrupted.'});
		expect(await createSender()(receiver.url, stop.signal)).toMatchObject({ok: false, status: null});
		expect(receiver.requests).toHaveLength(1);
	});
});

describe('a webhook response', () => {
	test.each(['gzip', 'identity'])(
		'of 64 MiB in %s is truncated to 16 KiB, and the rest is not read',
		async encoding => {
			const plain = Buffer.alloc(64 * 1024 * 1024, 'x');
			const bytes = encoding === 'gzip' ? gzipSync(plain) : plain;
			const receiver = await startReceiver((_, response) =>
				response.writeHead(200, {'Content-Encoding': encoding, 'Content-Length': bytes.length}).end(bytes),
			);
			expect(await createSender()(receiver.url)).toEqual({ok: true, status: 200, body: 'x'.repeat(maxResponseBytes)});
		},
	);

	test('without an end is truncated and its connection closed', async () => {
		const flooded: Socket[] = [];
		const pour = flood(Buffer.alloc(64 * 1024, 'y'));
		const url = await startRaw('HTTP/1.1 500 No\r\n\r\n', socket => {
			flooded.push(socket);
			pour(socket);
		});
		const send = createSender({timeoutMs: 5000});
		const attempts = await Promise.all(Array.from({length: 10}, () => send(url)));
		expect(attempts).toEqual(attempts.map(() => ({ok: false, status: 500, body: 'y'.repeat(maxResponseBytes)})));
		await vi.waitFor(() => expect(flooded.every(({destroyed}) => destroyed)).toBe(true));
		// Capacity of the buffers of two sockets.
		expect(Math.max(...flooded.map(({bytesWritten}) => bytesWritten))).toBeLessThan(16 * 1024 * 1024);
	});

	test('with a stalled body is truncated by the timeout and keeps its status', async () => {
		const url = await startRaw('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nslow');
		expect(await createSender({timeoutMs: 1000})(url)).toEqual({ok: true, status: 200, body: 'slow'});
	});

	test('with endless headers counts as no response', async () => {
		const url = await startRaw('HTTP/1.1 200 OK\r\n', flood(`X-More: ${'z'.repeat(1000)}\r\n`));
		expect(await createSender()(url)).toMatchObject({ok: false, status: null});
	});

	test('of only 100 Continue counts as no response', async () => {
		const url = await startRaw('', flood('HTTP/1.1 100 Continue\r\n\r\n'));
		expect(await createSender({timeoutMs: 200})(url)).toMatchObject({ok: false, status: null});
	});

	test('may follow at most 16 informational responses', async () => {
		const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
		const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone';
		const [few, many] = [await startRaw(hint.repeat(16) + answer), await startRaw(hint.repeat(17))];
		expect(await createSender()(few)).toEqual({ok: true, status: 200, body: 'done'});
		expect(await createSender()(many)).toEqual({
			ok: false,
			status: null,
			body: 'The receiver sent more than 16 informational responses.',
		});
	});

	test.each([
		['informational responses', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
		['bytes of a reason phrase', 'HTTP/1.1 200 ', 'OK'],
		['blank lines', '', '\r\n'],
		['header fields', 'HTTP/1.1 200 OK\r\n', 'A: b\r\n'],
	])('with an endless series of %s counts as no response, and its connection is closed', async (_, first, more) => {
		const flooded: Socket[] = [];
		const pour = flood(more.repeat(Math.ceil(16_384 / more.length)));
		const url = await startRaw(first, socket => {
			flooded.push(socket);
			pour(socket);
		});
		expect(await createSender()(url)).toMatchObject({ok: false, status: null});
		await vi.waitFor(() => expect(flooded.every(({destroyed}) => destroyed)).toBe(true));
		expect(Math.max(...flooded.map(({bytesWritten}) => bytesWritten))).toBeLessThan(16 * 1024 * 1024);
	});

	const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n';
	test.each([
		['chunk extensions', `${chunked}\r\n2\r\nOK\r\n1;`, Buffer.from('a')],
		['trailers', `${chunked}\r\n2\r\nOK\r\n0\r\n`, Buffer.from('A: b\r\n')],
		[
			'empty deflate blocks',
			'HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n\x78\x9c\x00\x02\x00\xfd\xffOK',
			Buffer.from('000000ffff', 'hex'),
		],
	])('with an endless series of %s is truncated, and its connection is closed', async (_, first, more) => {
		const flooded: Socket[] = [];
		const pour = flood(Buffer.concat(Array(5000).fill(more)));
		const url = await startRaw(Buffer.from(first, 'latin1'), socket => {
			flooded.push(socket);
			pour(socket);
		});
		expect(await createSender()(url)).toEqual({ok: true, status: 200, body: 'OK'});
		await vi.waitFor(() => expect(flooded.every(({destroyed}) => destroyed)).toBe(true));
		expect(Math.max(...flooded.map(({bytesWritten}) => bytesWritten))).toBeLessThan(16 * 1024 * 1024);
	});

	// undici 7.30.2 throws an uncaught AssertionError (`!this.paused`) here, which would end the daemon.
	test('with a compressed body that breaks off counts and does not crash the process', async () => {
		const nothing = Buffer.from('000000ffff'.repeat(20_000), 'hex');
		const urls = Array.from({length: 10}, async () =>
			startRaw('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n\x78', socket => {
				socket.end(Buffer.concat([Buffer.from([0x9c]), nothing]));
			}),
		);
		const send = createSender();
		const attempts = await Promise.all((await Promise.all(urls)).map(async url => send(url)));
		expect(attempts).toEqual(Array(10).fill({ok: true, status: 200, body: ''}));
	});

	test('that decompresses to very much takes memory for a few responses at a time', async () => {
		const window = {params: {[constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS}};
		const bomb = brotliCompressSync(Buffer.alloc(64 * 1024 ** 2, 'a'), window);
		const receiver = await startReceiver((_, response) =>
			response.writeHead(200, {'Content-Encoding': 'br'}).end(bomb),
		);
		const send = createSender();
		const before = process.memoryUsage().rss;
		let most = before;
		const timer = setInterval(() => {
			most = Math.max(most, process.memoryUsage().rss);
		}, 5);
		onTestFinished(() => clearInterval(timer));
		const attempts = await Promise.all(Array.from({length: 200}, async () => send(receiver.url)));
		expect(new Set(attempts.map(({body}) => body))).toEqual(new Set(['a'.repeat(maxResponseBytes)]));
		expect(most - before).toBeLessThan(400 * 1024 ** 2);
	});

	test('with a longer Keep-Alive changes neither the idle timeout nor the limit of idle connections', async () => {
		const receivers = await Promise.all(
			Array.from({length: 135}, async () =>
				startReceiver((_, response) => response.writeHead(200, {'Keep-Alive': 'timeout=600'}).end()),
			),
		);
		const send = createSender({maxIdle: 100, idleMs: 500});
		await Promise.all(receivers.map(async ({url}) => send(url)));
		const kept = async () => (await Promise.all(receivers.map(async ({open}) => open()))).reduce((a, b) => a + b, 0);
		await vi.waitFor(async () => expect(await kept()).toBeLessThanOrEqual(100));
		await vi.waitFor(async () => expect(await kept()).toBe(0));
	});

	test.each([
		'SSH-2.0-OpenSSH_9.2\r\n',
		'HTTP/1.1 OK\r\n\r\n',
		'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
		'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
		'\u0000\u0001\u0002',
	])('such as %j counts as no response', async bytes => {
		const url = await startRaw(bytes, socket => socket.end());
		expect(await createSender()(url)).toMatchObject({ok: false, status: null});
	});

	test.each([
		['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut', 'cut'],
		['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\nzz\r\n', 'bad'],
		['HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope', ''],
	])('such as %j counts as a response with a truncated body', async (bytes, body) => {
		const url = await startRaw(bytes, socket => socket.end());
		expect(await createSender()(url)).toEqual({ok: true, status: 200, body});
	});

	test('is never truncated within a character', async () => {
		const receiver = await startReceiver((_, response) =>
			response.writeHead(200).end(`a${'€'.repeat(maxResponseBytes)}`),
		);
		const {body} = await createSender()(receiver.url);
		expect(body).toBe(`a${'€'.repeat(Math.floor((maxResponseBytes - 1) / 3))}`);
	});
});

describe('the webhook target guard', () => {
	const resolveTo =
		(...rounds: ReadonlyArray<readonly string[]>): Resolve =>
		(_, __, callback) => {
			const [first = [], ...others] = rounds;
			rounds = others.length > 0 ? others : rounds;
			callback(
				null,
				first.map(address => ({address, family: address.includes(':') ? 6 : 4})),
			);
		};

	test('rejects an address before connecting', async () => {
		const receiver = await startReceiver(200);
		const attempt = await createSender({allows: beyondLoopback})(receiver.url);
		expect(attempt).toEqual({
			ok: false,
			status: null,
			body: expect.stringMatching(
				/^Webhooks must not be sent to 127\.0\.0\.1, unless .* --webhook-allow 127\.0\.0\.1\.$/,
			),
		});
		expect(receiver.connections).toBe(0);
	});

	test.each(['127.0.0.1', '::1', '10.0.0.5', '169.254.169.254', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
		'rejects a host name that resolves to %s',
		async address => {
			const send = createSender({allows: beyondLoopback, resolve: resolveTo([address])});
			expect(await send('http://innocent.test/')).toEqual({
				ok: false,
				status: null,
				body: expect.stringMatching(`^Webhooks must not be sent to innocent.test, which is ${address}[.,]`),
			});
		},
	);

	test('rejects a host name with one forbidden address among others', async () => {
		const send = createSender({allows: beyondLoopback, resolve: resolveTo(['8.8.8.8', '169.254.169.254'])});
		expect((await send('http://innocent.test/')).body).toContain('which is 169.254.169.254');
	});

	test('connects only to the addresses that it checked', async () => {
		const receiver = await startReceiver(200);
		const send = createSender({resolve: resolveTo(['127.0.0.1'])});
		expect(await send(receiver.url.replace('127.0.0.1', 'receiver.test'))).toMatchObject({ok: true, status: 200});
		expect(receiver.requests[0]?.headers.host).toMatch(/^receiver\.test:/);
	});

	test('resolves the host name for each connection and rejects a changed address', async () => {
		const receiver = await startReceiver((_, response) => response.writeHead(200, {Connection: 'close'}).end());
		const send = createSender({resolve: resolveTo(['127.0.0.1'], ['169.254.169.254'])});
		const url = receiver.url.replace('127.0.0.1', 'moving.test');
		expect(await send(url)).toMatchObject({ok: true});
		expect((await send(url)).body).toContain('which is 169.254.169.254');
	});
});

describe('a webhook attempt over TLS', () => {
	/** Creates a certificate, which the sender accepts during the test. */
	async function certificate() {
		vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
		onTestFinished(() => void vi.unstubAllEnvs());
		const at = Date.now();
		const validity = {notBefore: new Date(at - 86_400_000), notAfter: new Date(at + 86_400_000)};
		return (await issue({names: ['localhost'], validity, authority: null})).leaf;
	}

	test('gets the response, and reuses its connection', async () => {
		const {certificate: cert, key} = await certificate();
		const ports = new Set<number | undefined>();
		const server = https.createServer({cert, key}, (request, response) => {
			ports.add(request.socket.remotePort);
			request.resume().on('end', () => response.end('x'.repeat(100_000)));
		});
		await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
		const {port} = server.address() as AddressInfo;
		const send = createSender();
		const whole = {ok: true, status: 200, body: 'x'.repeat(maxResponseBytes)};
		expect(await send(`https://127.0.0.1:${port}/`)).toEqual(whole);
		server.removeAllListeners('request').on('request', (request, response) => {
			ports.add(request.socket.remotePort);
			request.resume().on('end', () => response.end('short'));
		});
		ports.clear();
		for (const _ of [1, 2]) {
			expect(await send(`https://localhost:${port}/`)).toEqual({ok: true, status: 200, body: 'short'});
		}

		expect(ports.size).toBe(1);
		server.closeAllConnections();
		await new Promise<unknown>(resolve => server.close(resolve));
		expect(await send(`https://127.0.0.1:${port}/`)).toEqual({
			ok: false,
			status: null,
			body: expect.stringContaining('ECONNREFUSED'),
		});
	});

	test.skipIf(spawnSync('openssl', ['version']).error)(
		'fails if the receiver sends session tickets without end, and does not block the event loop',
		async () => {
			const {certificate: cert, key} = await certificate();
			const folder = await tempDir();
			const files = ['cert.pem', 'key.pem'].map(name => path.join(folder, name));
			await Promise.all([cert, key].map(async (pem, index) => writeFile(files[index] ?? '', pem)));
			const [certFile = '', keyFile = ''] = files;
			const receiver = spawn(
				'openssl',
				['s_server', '-accept', '127.0.0.1:0', '-cert', certFile, '-key', keyFile, '-num_tickets', '100000'],
				{stdio: ['pipe', 'pipe', 'ignore']},
			);
			onTestFinished(() => void receiver.kill());
			const port = await new Promise<string>(resolve => {
				receiver.stdout.on('data', text => {
					const [, found] = /ACCEPT \S*:(\d+)/.exec(String(text)) ?? [];
					if (found !== undefined) {
						resolve(found);
					}
				});
			});
			const loop = new LoopWatch();
			onTestFinished(() => loop.stop());
			expect(await createSender()(`https://127.0.0.1:${port}/`)).toEqual({
				ok: false,
				status: null,
				body: 'The response exceeded 128 KiB.',
			});
			expect(loop.take().longestMs).toBeLessThan(150);
		},
	);
});
