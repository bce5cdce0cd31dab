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

/** One of so many bytes. */
const bodyOf = (length: number) => `{"name":"x"${' '.repeat(length - 12)}}`;

/** A request to make an inbox, with a body that the client sends when it is told to, and what came back so far. */
function begin({key}: Person, length: number) {
	const socket = net.connect(tinbox.port, '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	const client = {heard: '', send: () => void socket.write(bodyOf(length)), leave: () => void socket.destroy()};
	socket
		.on('error', () => {})
		.on('data', data => {
			client.heard += data;
		});
	const head = ['POST /v1/inboxes HTTP/1.1', `Host: 127.0.0.1:${tinbox.port}`, `X-API-Key: ${key}`];
	const body = ['Content-Type: application/json', `Content-Length: ${length}`, 'Expect: 100-continue'];
	socket.write([...head, ...body, '', ''].join('\r\n'));
	return client;
}

const goOn = 'HTTP/1.1 100 Continue';
const created = 'HTTP/1.1 201 Created';

async function eventually(look: () => void): Promise<void> {
	await vi.waitFor(look, {interval: 5});
}

test('large bodies are asked for in turn: never very many, and those of others all the same', async () => {
	const hers = Array.from({length: 100}, () => begin(ann, 100_000));
	const asked = () => hers.filter(({heard}) => heard.startsWith(goOn));
	await eventually(() => expect(asked().length).toBeGreaterThanOrEqual(32));
	const his = [begin(bob, 100_000), begin(bob, 100_000)];
	await eventually(() => expect(his.every(({heard}) => heard.startsWith(goOn))).toBe(true));
	expect(asked()).toHaveLength(32);
	for (const {send} of his) {
		send();
	}

	await eventually(() => expect(his.every(({heard}) => heard.includes(created))).toBe(true));
	const small = begin(ann, 1000);
	await eventually(() => expect(small.heard).toContain(goOn));
	small.send();
	await eventually(() => expect(small.heard).toContain(created));

	for (const client of asked().slice(0, 16)) {
		client.leave();
	}

	await eventually(() => expect(asked()).toHaveLength(48));
	const last = asked().at(-1);
	last?.send();
	await eventually(() => expect(asked()).toHaveLength(49));
	await eventually(() => expect(last?.heard).toContain(created));
});

test('a body in chunks of a byte is read, also where it waits behind another request', async () => {
	const socket = net.connect(tinbox.port, '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	let heard = '';
	socket.on('data', data => {
		heard += data;
	});
	const lines = [`Host: 127.0.0.1:${tinbox.port}`, `X-API-Key: ${ann.key}`, 'Content-Type: application/json'];
	const head = `${lines.join('\r\n')}\r\n`;
	const chunks = [...bodyOf(50_000)].map(byte => `1\r\n${byte}\r\n`).join('');
	const post = `POST /v1/inboxes HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
	socket.write(`GET /v1/inboxes HTTP/1.1\r\n${head}\r\n${post}${post}`);
	await eventually(() =>
		expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201', 'HTTP/1.1 201']),
	);
});
