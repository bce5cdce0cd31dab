import net from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

/** Statuses of all responses on a connection. `isClosed`: the server closed it. */
type Outcome = {readonly statuses: readonly number[]; readonly isClosed: boolean; readonly text: string};

/** Sends bytes on a new connection, and reads until the server closes it or, if there are enough responses, is silent. */
async function exchange(bytes: string | Buffer): Promise<Outcome> {
	const socket = net.connect(tinbox.port, '127.0.0.1');
	let text = '';
	let isClosed = false;
	socket.setEncoding('latin1').on('data', data => {
		text += data;
	});
	socket
		.on('error', () => {})
		.on('close', () => {
			isClosed = true;
		});
	socket.write(bytes);
	// A marker after the bytes would change their framing. The next response of a pipeline takes a few milliseconds.
	await expect.poll(() => isClosed || /^HTTP\/1\.1 /m.test(text)).toBe(true);
	await new Promise(resolve => setTimeout(resolve, 50));
	socket.destroy();
	return {statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)), isClosed, text};
}

/** Lines of a request, with the fields that every request needs. */
function head(line: string, ...fields: readonly string[]): string {
	const all = [line, `Host: 127.0.0.1:${tinbox.port}`, `X-API-Key: ${ann.key}`, ...fields];
	return `${all.join('\r\n')}\r\n\r\n`;
}

const json = 'Content-Type: application/json';

/** Request that creates an inbox, and is recognised by its name. */
function smuggled(): string {
	const body = '{"name":"smuggled"}';
	return head('POST /v1/inboxes HTTP/1.1', json, `Content-Length: ${body.length}`) + body;
}

async function inboxNames(): Promise<readonly string[]> {
	const response = await tinbox.request('GET', '/inboxes?limit=100', {key: ann.key});
	const {inboxes} = (await response.json()) as {inboxes: ReadonlyArray<{name: string}>};
	return inboxes.map(({name}) => name);
}

const post = (...fields: readonly string[]) => head('POST /v1/inboxes HTTP/1.1', json, ...fields);

describe('a request with ambiguous framing is refused, and what follows is not read as a request', () => {
	test.each<[name: string, bytes: () => string | Buffer]>([
		['CL.TE', () => `${post('Content-Length: 6', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled()}`],
		['TE.CL', () => `${post('Transfer-Encoding: chunked', 'Content-Length: 4')}5c\r\n${smuggled()}\r\n0\r\n\r\n`],
		['TE.TE', () => `${post('Transfer-Encoding: chunked', 'Transfer-Encoding: x')}0\r\n\r\n${smuggled()}`],
		['two different lengths', () => `${post('Content-Length: 2', 'Content-Length: 0')}{}${smuggled()}`],
		['two equal lengths', () => `${post('Content-Length: 2', 'Content-Length: 2')}{}${smuggled()}`],
		['a list of lengths', () => `${post('Content-Length: 2, 2')}{}${smuggled()}`],
		['a signed length', () => `${post('Content-Length: +2')}{}${smuggled()}`],
		['a negative length', () => `${post('Content-Length: -2')}{}${smuggled()}`],
		['a hexadecimal length', () => `${post('Content-Length: 0x2')}{}${smuggled()}`],
		['a length that overflows', () => `${post('Content-Length: 18446744073709551618')}{}${smuggled()}`],
		['an unknown transfer encoding', () => `${post('Transfer-Encoding: xchunked')}0\r\n\r\n${smuggled()}`],
		['chunked before another encoding', () => `${post('Transfer-Encoding: chunked, gzip')}0\r\n\r\n${smuggled()}`],
		['a tab in the transfer encoding', () => `${post('Transfer-Encoding:\u000bchunked')}0\r\n\r\n${smuggled()}`],
		['a space before the colon', () => `${post('Content-Length : 2')}{}${smuggled()}`],
		['a space before the colon of the encoding', () => `${post('Transfer-Encoding : chunked')}0\r\n\r\n${smuggled()}`],
		['obs-fold', () => `${post('X-Fold: a\r\n Content-Length: 2')}${smuggled()}`],
		['obs-fold in the transfer encoding', () => `${post('Transfer-Encoding:\r\n chunked')}0\r\n\r\n${smuggled()}`],
		['a bare CR in a field', () => `${post('X-A: b\rTransfer-Encoding: chunked')}0\r\n\r\n${smuggled()}`],
		['a bare LF in a field', () => `${post('X-A: b\nTransfer-Encoding: chunked')}0\r\n\r\n${smuggled()}`],
		['bare LF line ends', () => post('Content-Length: 0').replaceAll('\r\n', '\n') + smuggled()],
		['bare CR line ends', () => post('Content-Length: 0').replaceAll('\r\n', '\r') + smuggled()],
		['a NUL in a field', () => `${post('X-A: b\0c')}${smuggled()}`],
		['a NUL in the length', () => `${post('Content-Length: 2\0')}{}${smuggled()}`],
		[
			'a chunk size that overflows',
			() => `${post('Transfer-Encoding: chunked')}10000000000000002\r\n{}\r\n0\r\n\r\n${smuggled()}`,
		],
		['a chunk size with a sign', () => `${post('Transfer-Encoding: chunked')}+2\r\n{}\r\n0\r\n\r\n${smuggled()}`],
		['a chunk size with a prefix', () => `${post('Transfer-Encoding: chunked')}0x2\r\n{}\r\n0\r\n\r\n${smuggled()}`],
		['a chunk that ends with a bare LF', () => `${post('Transfer-Encoding: chunked')}2\r\n{}\n0\r\n\r\n${smuggled()}`],
		[
			'a chunk size that ends with a bare LF',
			() => `${post('Transfer-Encoding: chunked')}2\n{}\r\n0\r\n\r\n${smuggled()}`,
		],
		[
			'a chunk that is longer than its size',
			() => `${post('Transfer-Encoding: chunked')}2\r\n{} \r\n0\r\n\r\n${smuggled()}`,
		],
		[
			'20 KB of chunk extensions',
			() => `${post('Transfer-Encoding: chunked')}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n${smuggled()}`,
		],
		[
			'chunk extensions with a bare LF',
			() => `${post('Transfer-Encoding: chunked')}2;a\n\r\n{}\r\n0\r\n\r\n${smuggled()}`,
		],
	])('%s', async (_name, bytes) => {
		const {statuses, isClosed, text} = await exchange(bytes());
		expect(
			statuses.every(status => status >= 400),
			text,
		).toBe(true);
		expect(statuses.length, text).toBeLessThanOrEqual(1);
		expect(isClosed, text).toBe(true);
		expect(await inboxNames()).not.toContain('smuggled');
	});
});

describe('a request line or target that is no path of this server is refused', () => {
	test.each([
		['CONNECT to another host', 'CONNECT example.com:443 HTTP/1.1'],
		['CONNECT to this host', 'CONNECT 127.0.0.1:80 HTTP/1.1'],
		['an absolute form with another host', 'GET http://evil.test/v1/inboxes HTTP/1.1'],
		['an absolute form with a user', 'GET http://a@evil.test/v1/inboxes HTTP/1.1'],
		['another scheme', 'GET ftp://evil.test/v1/inboxes HTTP/1.1'],
		['an asterisk', 'GET * HTTP/1.1'],
		['a target without a slash', 'GET v1/inboxes HTTP/1.1'],
		['two slashes', 'GET //v1/inboxes HTTP/1.1'],
		['dot segments', 'GET /v1/../v1/inboxes HTTP/1.1'],
		['encoded dot segments', 'GET /v1/%2e%2e/v1/inboxes HTTP/1.1'],
		['an encoded slash', 'GET /v1%2finboxes HTTP/1.1'],
		['a backslash', 'GET /v1\\inboxes HTTP/1.1'],
		['a NUL', 'GET /v1/inboxes\0 HTTP/1.1'],
		['a bare CR', 'GET /v1/inboxes\r HTTP/1.1'],
		['an unknown version', 'GET /v1/inboxes HTTP/1.9'],
		['an unknown method', 'FETCH /v1/inboxes HTTP/1.1'],
		['a method in lower case', 'get /v1/inboxes HTTP/1.1'],
		['TRACE', 'TRACE /v1/inboxes HTTP/1.1'],
		['the preface of HTTP/2', 'PRI * HTTP/2.0'],
		['20 KB of target', `GET /${'a'.repeat(20_000)} HTTP/1.1`],
	])('%s', async (_name, line) => {
		const {statuses, text} = await exchange(head(line, 'Connection: close'));
		expect(
			statuses.every(status => status >= 400 && status < 500),
			text,
		).toBe(true);
		expect(statuses.length, text).toBeLessThanOrEqual(1);
	});
});

test('a request with two Host fields is refused', async () => {
	const {statuses, text} = await exchange(head('GET /v1/inboxes HTTP/1.1', 'Host: evil.test', 'Connection: close'));
	expect(statuses, text).toEqual([400]);
});

test('an upgrade is not made, and the bytes after it are read as a request or not at all', async () => {
	for (const fields of [
		['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAA'],
		['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
		['Connection: Upgrade', 'Upgrade: TLS/1.0'],
	]) {
		const {statuses, text} = await exchange(head('GET /v1/health HTTP/1.1', ...fields));
		expect(statuses, text).not.toContain(101);
	}
});

test('chunks of one byte, empty lines before a request and a trailer are read as the standard says', async () => {
	const chunks = [...'{"name":"chunked"}'].map(byte => `1\r\n${byte}\r\n`).join('');
	const trailer = 'X-API-Key: wrong\r\n';
	const request = `\r\n\r\n${post('Transfer-Encoding: chunked', 'Connection: close')}${chunks}0\r\n${trailer}\r\n`;
	const {statuses, text} = await exchange(request);
	expect(statuses, text).toEqual([201]);
	expect(await inboxNames()).toContain('chunked');
});

test('an absolute form with the name of this server is answered as its path', async () => {
	const line = `GET http://127.0.0.1:${tinbox.port}/v1/health HTTP/1.1`;
	const {statuses, text} = await exchange(head(line, 'Connection: close'));
	expect([200, 400, 404, 421], text).toContain(statuses[0]);
});
