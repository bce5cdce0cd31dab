import {once} from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {explainHandshake, type Opening, peekOpening} from '../../../src/smtp/tls.js';

/** Opens a connection and resolves to both of its sockets. */
async function connection(): Promise<{client: net.Socket; server: net.Socket}> {
	const listener = net.createServer().listen(0, '127.0.0.1');
	await once(listener, 'listening');
	const client = net.connect({port: (listener.address() as net.AddressInfo).port, host: '127.0.0.1'}).setNoDelay(true);
	const [server] = (await once(listener, 'connection')) as [net.Socket];
	listener.close();
	client.on('error', () => {});
	onTestFinished(() => {
		client.destroy();
		server.destroy();
	});
	return {client, server};
}

/** The client hello of the TLS library. */
async function helloFor(servername: string): Promise<Buffer> {
	const {client, server} = await connection();
	tls.connect({socket: client, servername}).on('error', () => {});
	const [bytes] = (await once(server, 'data')) as [Buffer];
	return bytes;
}

/** Opening of a client that sends these pieces and disconnects, and the bytes that the server can still read. */
async function peek(pieces: readonly Buffer[]): Promise<{opening: Opening | undefined; remaining: Buffer}> {
	const {client, server} = await connection();
	const opening = peekOpening(server);
	for (const piece of pieces) {
		await new Promise(resolve => client.write(piece, resolve));
	}

	client.end();
	const found = await opening;
	return {opening: found, remaining: found ? Buffer.concat(await server.toArray()) : Buffer.alloc(0)};
}

test.each(['mail.test', 'Old-TLS.Tinbox.test', 'x'.repeat(200)])(
	'the server name %s is read, and all bytes remain in the socket',
	async name => {
		const hello = await helloFor(name);
		expect(await peek([hello])).toEqual({opening: {isTls: true, servername: name.toLowerCase()}, remaining: hello});
	},
);

test('the server name is read from a hello sent byte by byte, and is null if none is requested', async () => {
	const hello = await helloFor('mail.test');
	const {opening, remaining} = await peek([...hello].map(byte => Buffer.from([byte])));
	expect(opening).toEqual({isTls: true, servername: 'mail.test'});
	expect(remaining).toEqual(hello);
	expect((await peek([await helloFor('')])).opening).toEqual({isTls: true, servername: null});
});

test('a client that disconnects before its hello is complete has no opening', async () => {
	const hello = await helloFor('mail.test');
	for (const length of [0, 1, 4, 5, 6, hello.length - 1]) {
		expect((await peek([hello.subarray(0, length)])).opening, `${length} bytes`).toBeUndefined();
	}
});

test.each(['EHLO client.test\r\n', '\x80\x2e\x01', '\r\n'])('%j is not recognized as a handshake', async text => {
	expect((await peek([Buffer.from(text, 'latin1')])).opening).toEqual({isTls: false, servername: null});
});

test('any bytes of a handshake have a result', async () => {
	const hello = await helloFor('mail.test');
	const change = fc.tuple(fc.nat(hello.length - 1), fc.nat(255));
	await fc.assert(
		fc.asyncProperty(fc.array(change, {minLength: 1, maxLength: 20}), async changes => {
			const bytes = Buffer.from(hello);
			for (const [at, byte] of changes.filter(([at]) => at >= 5)) {
				bytes[at] = byte;
			}

			const {opening, remaining} = await peek([bytes]);
			expect(opening?.isTls).toBe(true);
			expect(opening?.servername ?? 'none').toMatch(/^[\w.-]{1,255}$/);
			expect(remaining).toEqual(bytes);
		}),
		{numRuns: 50},
	);
});

test.each([
	['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'the client does not trust the certificate (alert unknown ca)'],
	['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'the client does not trust the certificate (alert certificate expired)'],
	['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'client and server have no TLS version in common (alert protocol version)'],
	['ERR_SSL_NO_SHARED_CIPHER', 'client and server have no cipher or key type in common'],
	['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'the client aborted the handshake (alert internal error)'],
	['ERR_SSL_BAD_RECORD_TYPE', 'the handshake failed: bad record type'],
	['ECONNRESET', 'the client disconnected during the handshake, probably because it does not trust the certificate'],
])('the TLS error %s is explained', (code, words) => {
	const error = Object.assign(new Error('80:error:0A:SSL routines:bad record type:a.c:1:'), {code});
	expect(explainHandshake(Object.assign(error, {reason: 'bad record type'}))).toBe(words);
});
