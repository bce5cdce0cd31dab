import {Duplex} from 'node:stream';
import tls from 'node:tls';

/** @typedef {import('./attacks.js').AttackFunction} AttackFunction */

/**
 * Attacks by connections and requests, independent of their contents.
 * @type {Record<string, AttackFunction>}
 */
export const connectionAttacks = {
	async 'bodies of unknown keys'(attacker) {
		const keys = Array.from({length: 60_000}, (_, index) => `"unknown${index}":1`);
		const body = `{${keys.join(',')}}`;
		attacker.repeat(20, () => attacker.ask('POST', '/inboxes', body));
	},
	async '20,000 requests on one connection'(attacker) {
		const {host} = new URL(attacker.client.url);
		const key = attacker.client.headers['x-api-key'];
		const request = `GET /v1/inboxes HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n\r\n`;
		const requests = request.repeat(20_000);
		attacker.repeat(2, () => sendText(attacker, requests));
	},
	async '1,900 requests behind each of 100 polls'(attacker) {
		const {id} = await attacker.inbox();
		const {host} = new URL(attacker.client.url);
		const key = attacker.client.headers['x-api-key'];
		const poll = `GET /v1/inboxes/${id}/messages?wait=60 HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n\r\n`;
		const requests = poll + 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1900);
		attacker.repeat(100, () => sendText(attacker, requests));
	},
	async 'requests with an unknown Expect header'(attacker) {
		const {host} = new URL(attacker.client.url);
		const requests = `GET /v1/health HTTP/1.1\r\nHost: ${host}\r\nExpect: something\r\n\r\n`.repeat(20_000);
		attacker.repeat(5, () => sendText(attacker, requests));
	},
	async '200 incomplete large bodies'(attacker) {
		const {host} = new URL(attacker.client.url);
		const key = attacker.client.headers['x-api-key'];
		const head = `POST /v1/inboxes HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
		const request = `${head}Content-Length: 1000000\r\n\r\n${' '.repeat(999_999)}`;
		attacker.repeat(200, () => sendText(attacker, request, 30_000));
	},
	async '1,000 idle connections'(attacker) {
		for (let count = 0; count < 500; count++) {
			attacker.connect('');
			attacker.connectSmtp();
		}
	},
	async '500 unread event streams'(attacker) {
		await floodStreams(attacker, () => {});
	},
	async '500 read event streams'(attacker) {
		await floodStreams(attacker, stream => stream.resume());
	},
	async 'guessed keys and tokens'(attacker) {
		const {url} = attacker.client;
		attacker.repeat(32, async turn => {
			const guess = `${turn}`.padStart(1000, 'g');
			const headers = turn % 2 === 0 ? {'x-api-key': guess} : {authorization: `Bearer ${guess}.${guess}.${guess}`};
			await fetch(`${url}/users/me`, {headers}).then(answer => answer.text());
		});
	},
	async 'guessed SMTP logins'(attacker) {
		const login = `AUTH PLAIN ${Buffer.from(`\0${'u'.repeat(100)}\0${'p'.repeat(300)}`).toString('base64')}\r\n`;
		attacker.repeat(32, async () => {
			const socket = attacker.connectSmtp().resume();
			socket.end(`EHLO worst.test\r\n${`${login}RCPT TO:<nobody@tinbox.test>\r\n`.repeat(50)}QUIT\r\n`);
			await new Promise(resolve => socket.once('close', resolve));
		});
	},
	async '10,000 unfinished TLS handshakes'(attacker) {
		const hello = await clientHello();
		attacker.repeat(10_000, async turn => {
			const socket = attacker.connectSmtps();
			socket.write(turn % 2 === 0 ? hello : hello.subarray(0, turn % hello.length));
			await new Promise(resolve => setTimeout(resolve, 5000 + (turn % 10_000)));
			socket.destroy();
		});
	},
	async 'TLS byte by byte, with handshakes again and again'(attacker) {
		attacker.repeat(200, async turn => {
			const options = {rejectUnauthorized: false, maxVersion: /** @type {const} */ ('TLSv1.2')};
			const socket = tls.connect({socket: attacker.connectSmtps(), ...options}).resume();
			socket.on('error', () => {}).setNoDelay(true);
			socket.once('secureConnect', () => {
				for (const byte of `EHLO worst.test\r\n${'NOOP\r\n'.repeat(500)}`) {
					socket.write(byte);
				}

				if (turn % 2 === 0) {
					socket.renegotiate({}, () => {});
				}
			});
			await Promise.race([
				new Promise(resolve => socket.once('close', resolve)),
				new Promise(resolve => setTimeout(resolve, 2000)),
			]);
			socket.destroy();
		});
	},
};

/** @returns {Promise<Buffer>} a TLS ClientHello message */
function clientHello() {
	return new Promise(resolve => {
		const socket = new Duplex({
			read() {},
			write(bytes, _encoding, done) {
				resolve(bytes);
				done();
			},
		});
		tls.connect({socket, servername: 'tinbox.test'}).on('error', () => {});
	});
}

/**
 * Sends a text on a new connection and discards the response until it ends or a timeout.
 * @param {import('./attacker.js').Attacker} attacker
 * @param {string} text
 * @param {number} ms
 */
async function sendText(attacker, text, ms = 2000) {
	const socket = attacker.connect(text).resume();
	await Promise.race([
		new Promise(resolve => socket.once('close', resolve)),
		new Promise(resolve => setTimeout(resolve, ms)),
	]);
	socket.destroy();
}

/**
 * Opens 500 event streams and sends mail continuously.
 * @param {import('./attacker.js').Attacker} attacker
 * @param {(stream: import('node:net').Socket) => void} use handles each stream
 */
async function floodStreams(attacker, use) {
	const inbox = await attacker.inbox();
	for (let streams = 0; streams < 500; streams++) {
		use(attacker.leaveUnread('/events'));
	}

	const mails = Array(100).fill(`Subject: ${'x'.repeat(900)}\r\n\r\nx`);
	attacker.repeat(10, () => attacker.mail(inbox, ...mails));
}
