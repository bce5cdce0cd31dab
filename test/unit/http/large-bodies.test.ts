import net from 'node:net';
import {afterAll, beforeAll, expect, onTestFinished, test, vi} from 'vitest';
import {type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
let bob: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	[ann, bob] = [await tinbox.user('ann'), await tinbox.user('bob')];
});
afterAll(async () => tinbox.close());

/** JSON body of this length. */
const bodyOf = (length: number) => `{"name":"x"${' '.repeat(length - 12)}}`;

/**
 * Sends the head of a request that creates an inbox; `send` sends its body, and `received` is the response so
 * far.
 */
function begin({key}: Person, length: number) {
	const socket = net.connect(tinbox.port, '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	const client = {received: '', send: () => void socket.write(bodyOf(length)), leave: () => void socket.destroy()};
	socket
		.on('error', () => {})
		.on('data', data => {
			client.received += data;
		});
	const head = ['POST /v1/inboxes HTTP/1.1', `Host: 127.0.0.1:${tinbox.port}`, `X-API-Key: ${key}`];
	const body = ['Content-Type: application/json', `Content-Length: ${length}`, 'Expect: 100-continue'];
	socket.write([...head, ...body, '', ''].join('\r\n'));
	return client;
}

const continueLine = 'HTTP/1.1 100 Continue';
const created = 'HTTP/1.1 201 Created';

async function eventually(look: () => void): Promise<void> {
	await vi.waitFor(look, {interval: 5});
}

test('large bodies are read a few at a time per user, without delaying other users and small bodies', async () => {
	const clientsOfAnn = Array.from({length: 100}, () => begin(ann, 100_000));
	const continued = () => clientsOfAnn.filter(({received}) => received.startsWith(continueLine));
	await eventually(() => expect(continued().length).toBeGreaterThanOrEqual(22));
	const clientsOfBob = [begin(bob, 100_000), begin(bob, 100_000)];
	await eventually(() => expect(clientsOfBob.every(({received}) => received.startsWith(continueLine))).toBe(true));
	expect(continued()).toHaveLength(22);
	for (const {send} of clientsOfBob) {
		send();
	}

	await eventually(() => expect(clientsOfBob.every(({received}) => received.includes(created))).toBe(true));
	const small = begin(ann, 1000);
	await eventually(() => expect(small.received).toContain(continueLine));
	small.send();
	await eventually(() => expect(small.received).toContain(created));

	for (const client of continued().slice(0, 16)) {
		client.leave();
	}

	await eventually(() => expect(continued()).toHaveLength(38));
	const last = continued().at(-1);
	last?.send();
	await eventually(() => expect(continued()).toHaveLength(39));
	await eventually(() => expect(last?.received).toContain(created));
});

test('a body in chunks of one byte is accepted, also behind a pipelined request', async () => {
	const socket = net.connect(tinbox.port, '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	let received = '';
	socket.on('data', data => {
		received += data;
	});
	const lines = [`Host: 127.0.0.1:${tinbox.port}`, `X-API-Key: ${ann.key}`, 'Content-Type: application/json'];
	const head = `${lines.join('\r\n')}\r\n`;
	const chunks = [...bodyOf(50_000)].map(byte => `1\r\n${byte}\r\n`).join('');
	const post = `POST /v1/inboxes HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
	socket.write(`GET /v1/inboxes HTTP/1.1\r\n${head}\r\n${post}${post}`);
	await eventually(() =>
		expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201', 'HTTP/1.1 201']),
	);
});
