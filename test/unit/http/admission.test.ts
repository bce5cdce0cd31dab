import net from 'node:net';
import {expect, onTestFinished, test, vi} from 'vitest';
import {openTinbox, type Tinbox} from '../../helpers/tinbox.js';

/** Sends a request to the Resend API with a placeholder key; `send` adds to its body, and `received` is the response so far. */
function request({port}: Tinbox, key: string, body: string, length = body.length) {
	const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	const client = {received: '', send: (text: string) => void socket.write(text)};
	socket
		.on('error', () => {})
		.on('data', data => {
			client.received += data;
		});
	const lines = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${key}`, 'Content-Type: application/json'];
	socket.write(
		['POST /send/resend/emails/batch HTTP/1.1', ...lines, `Content-Length: ${length}`, '', body].join('\r\n'),
	);
	return client;
}

const mail = {from: 'app@example.com', to: 'user@example.com', subject: 'Hello', text: 'Hello'};
const ok = 'HTTP/1.1 200 OK';

test('a request of a user is answered before requests of another sender that came first', async () => {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann');
	await tinbox.request('GET', '/inboxes', {key});
	const batch = JSON.stringify(Array.from({length: 100}, () => mail));
	const clients = Array.from({length: 64}, () => request(tinbox, 're_busy', batch));
	const answered = () => clients.filter(({received}) => received.startsWith(ok)).length;
	await vi.waitFor(() => expect(answered()).toBeGreaterThan(0), {interval: 1});
	expect((await tinbox.request('GET', '/inboxes', {key})).status).toBe(200);
	expect(answered()).toBeLessThan(32);
});

test('requests without a credential are answered while senders with many keys at the same address are busy', async () => {
	const tinbox = await openTinbox();
	const batch = JSON.stringify(Array.from({length: 100}, () => mail));
	const clients = Array.from({length: 64}, (_, index) => request(tinbox, `re_busy${index}`, batch));
	const answered = () => clients.filter(({received}) => received.startsWith(ok)).length;
	await vi.waitFor(() => expect(answered()).toBeGreaterThan(0), {interval: 1});
	expect((await tinbox.request('GET', '/health')).status).toBe(200);
	expect(answered()).toBeLessThan(64);
});

test('slow bodies of senders at an address lose their places after 2 seconds when another sender waits', async () => {
	const tinbox = await openTinbox();
	const slow = Array.from({length: 64}, (_, index) => request(tinbox, `re_slow${index}`, '[', 100_000));
	const drip = setInterval(() => {
		for (const {send} of slow) {
			send(' ');
		}
	}, 100);
	onTestFinished(() => clearInterval(drip));
	// Enough senders to take all places of the address.
	await new Promise(resolve => setTimeout(resolve, 200));
	const start = performance.now();
	const body = JSON.stringify([{...mail, text: 'x'.repeat(20_000)}]);
	const other = request(tinbox, 're_test', body);
	await vi.waitFor(() => expect(other.received).toContain(ok), {timeout: 20_000, interval: 20});
	expect(performance.now() - start).toBeLessThan(10_000);
	expect(slow.find(({received}) => received.startsWith('HTTP/1.1 408'))?.received).toContain('64 KiB in 2 seconds');
});

test('bodies that are just fast enough lose their places after 15 seconds when another sender waits', {
	timeout: 60_000,
}, async () => {
	const tinbox = await openTinbox();
	const busy = Array.from({length: 4}, () => request(tinbox, 're_busy', '[', 20_000_000));
	const drip = setInterval(() => {
		for (const {send} of busy) {
			send(' '.repeat(16_384));
		}
	}, 200);
	onTestFinished(() => clearInterval(drip));
	await new Promise(resolve => setTimeout(resolve, 200));
	const start = performance.now();
	const other = request(tinbox, 're_test', JSON.stringify([{...mail, text: 'x'.repeat(300_000)}]));
	await vi.waitFor(() => expect(other.received).toContain(ok), {timeout: 40_000, interval: 20});
	expect(performance.now() - start).toBeLessThan(25_000);
	expect(busy.some(({received}) => received.startsWith('HTTP/1.1 408'))).toBe(true);
});
