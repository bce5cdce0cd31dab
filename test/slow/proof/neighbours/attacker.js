import http from 'node:http';
import net from 'node:net';
import {createInterface} from 'node:readline';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';

/**
 * @typedef {import('../start.js').Proven} Proven
 * @typedef {{id: string, address: string}} Inbox
 */

/** A user who does the worst, in a process that ends without a word. What is refused is as welcome as what is not. */
export class Attacker {
	#agent = new http.Agent({keepAlive: true, maxSockets: 64});
	#url;
	#smtp;
	#smtps;
	/** Asks one by one, and fails with what is refused. */
	client;

	/**
	 * @param {Pick<Proven, 'url' | 'smtp' | 'smtps'>} daemon
	 * @param {Record<string, string>} headers that show who it is
	 */
	constructor({url, smtp, smtps}, headers) {
		this.#url = url;
		this.#smtp = smtp;
		this.#smtps = smtps;
		this.client = new Client(url, headers);
	}

	/** @returns {Promise<Inbox>} */
	inbox() {
		return this.client.createInbox();
	}

	/**
	 * Sends mails one after another in a session, as far as they are taken.
	 * @param {Inbox} inbox
	 * @param {...string} mails each character a byte
	 */
	async mail({address}, ...mails) {
		const session = await SmtpSession.open(this.#smtp).catch(() => undefined);
		for (const mail of mails) {
			await session?.send('worst@sender.test', address, Buffer.from(`${mail}\r\n`, 'latin1')).catch(() => {});
		}

		await session?.quit().catch(() => {});
	}

	/**
	 * Sends so many small mails in each of 20 sessions, as fast as they are taken.
	 * @param {Inbox} inbox
	 * @param {number} each
	 */
	async fill({address}, each) {
		const envelope = `MAIL FROM:<worst@sender.test>\r\nRCPT TO:<${address}>\r\nDATA\r\n`;
		const session = async () => {
			const socket = this.connectSmtp();
			socket.write(`EHLO worst.test\r\n${envelope}`);
			let sent = 0;
			for await (const line of createInterface(socket)) {
				if (line.startsWith('354')) {
					socket.write(`Subject: x\r\n\r\nx\r\n.\r\n${++sent < each ? envelope : 'QUIT\r\n'}`);
				} else if (/^[45]/.test(line)) {
					socket.destroy();
				}
			}
		};
		await Promise.all(Array.from({length: 20}, session));
	}

	/**
	 * An inbox, and in it one message of each mail that was taken.
	 * @param {...string} mails
	 */
	async inboxWith(...mails) {
		const inbox = await this.inbox();
		await this.mail(inbox, ...mails);
		const messages = await this.json('GET', `/inboxes/${inbox.id}/messages?limit=100&q=`);
		return {...inbox, path: `/inboxes/${inbox.id}/messages`, ids: listed(messages)};
	}

	/**
	 * Asks, and reads an answer to its end without keeping it. Resolves to its status; 0 when there was none.
	 * @param {string} method
	 * @param {string} path
	 * @param {unknown} [body]
	 * @returns {Promise<number>}
	 */
	ask(method, path, body) {
		return new Promise(resolve => {
			this.#request(method, path, body)
				.on('error', () => resolve(0))
				.on('response', response => {
					response.resume().on('close', () => resolve(response.statusCode ?? 0));
				});
		});
	}

	/**
	 * The JSON of an answer; undefined when it was refused.
	 * @param {string} method
	 * @param {string} path
	 * @param {unknown} [body]
	 * @returns {Promise<unknown>}
	 */
	json(method, path, body) {
		return this.client.json(method, path, body).catch(() => undefined);
	}

	/**
	 * Asks, and never reads the answer.
	 * @param {string} path
	 */
	leaveUnread(path) {
		const lines = Object.entries(this.client.headers).map(pair => `${pair.join(': ')}\r\n`);
		const {host, pathname} = new URL(this.#url);
		return this.connect(`GET ${pathname}${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`);
	}

	/**
	 * A connection to the API on which this is said; what comes back waits until somebody reads it.
	 * @param {string} text
	 */
	connect(text) {
		const {hostname, port} = new URL(this.#url);
		const socket = net.connect(Number(port), hostname).on('error', () => {});
		socket.write(text);
		return socket;
	}

	/** A connection to the SMTP port. */
	connectSmtp() {
		return net.connect(this.#smtp).on('error', () => {});
	}

	/** A connection to the port for mail that begins with TLS. */
	connectSmtps() {
		return net.connect(this.#smtps).on('error', () => {});
	}

	/**
	 * Where requests get what the receiver does with them.
	 * @param {(response: http.ServerResponse) => void} answer
	 */
	async receiver(answer) {
		const server = http.createServer((request, response) => {
			request.resume();
			response.on('error', () => {});
			answer(response);
		});
		await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
		const own = server.address();
		return `http://127.0.0.1:${typeof own === 'object' && own ? own.port : 0}/`;
	}

	/**
	 * Does it again and again, so many side by side, until the process ends.
	 * @param {number} atOnce
	 * @param {(turn: number) => Promise<unknown>} act
	 */
	repeat(atOnce, act) {
		let turn = 0;
		for (let index = 0; index < atOnce; index++) {
			void (async () => {
				for (;;) {
					await act(turn++).catch(() => {});
					// Whatever is refused at once must not keep this process from sending the next.
					await new Promise(resolve => setImmediate(resolve));
				}
			})();
		}
	}

	/**
	 * Does it so often, 32 side by side.
	 * @param {number} count
	 * @param {(turn: number) => Promise<unknown>} act
	 */
	async times(count, act) {
		let turn = 0;
		const worker = async () => {
			while (turn < count) {
				await act(turn++).catch(() => {});
			}
		};
		await Promise.all(Array.from({length: 32}, worker));
	}

	/**
	 * @param {string} method
	 * @param {string} path
	 * @param {unknown} body
	 */
	#request(method, path, body) {
		const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
		const headers = {
			...this.client.headers,
			...(text !== undefined && {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)}),
		};
		const request = http.request(this.#url + path, {method, agent: this.#agent, headers});
		request.end(text);
		return request;
	}
}

/**
 * @param {unknown} messages
 * @returns {string[]}
 */
function listed(messages) {
	return Array.isArray(messages) ? messages.map(({id}) => String(id)) : [];
}
