import http from 'node:http';
import net from 'node:net';
import {createInterface} from 'node:readline';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';

/**
 * @typedef {import('../start.js').TestDaemon} TestDaemon
 * @typedef {{id: string, address: string}} Inbox
 */

/** The operations of an attacking user. Rejected requests are ignored. */
export class Attacker {
	#agent = new http.Agent({keepAlive: true, maxSockets: 64});
	#url;
	#smtp;
	#smtps;
	/** A client whose rejected requests throw. */
	client;
	/** Address of an inbox of another user. */
	victim;

	/**
	 * @param {Pick<TestDaemon, 'url' | 'smtp' | 'smtps'>} daemon
	 * @param {Record<string, string>} headers credentials
	 * @param {string} victim
	 */
	constructor({url, smtp, smtps}, headers, victim) {
		this.#url = url;
		this.#smtp = smtp;
		this.#smtps = smtps;
		this.client = new Client(url, headers);
		this.victim = victim;
	}

	/** @param {number} count maximum number of connections of `ask` and `post`; 64 by default */
	set maxSockets(count) {
		this.#agent.maxSockets = count;
	}

	/** @returns {Promise<Inbox>} */
	inbox() {
		return this.client.createInbox();
	}

	/**
	 * Sends mails in one session and ignores rejections.
	 * @param {Inbox} inbox
	 * @param {...string} mails one character per byte
	 */
	async mail({address}, ...mails) {
		const session = await SmtpSession.open(this.#smtp).catch(() => undefined);
		for (const mail of mails) {
			await session?.send('worst@sender.test', address, Buffer.from(`${mail}\r\n`, 'latin1')).catch(() => {});
		}

		await session?.quit().catch(() => {});
	}

	/**
	 * Sends `each` small mails in each of 20 sessions as fast as possible.
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
	 * Creates an inbox with a message for each accepted mail.
	 * @param {...string} mails
	 */
	async inboxWith(...mails) {
		const inbox = await this.inbox();
		await this.mail(inbox, ...mails);
		const messages = await this.json('GET', `/inboxes/${inbox.id}/messages?limit=100&q=`);
		return {...inbox, path: `/inboxes/${inbox.id}/messages`, ids: listed(messages)};
	}

	/**
	 * Sends a request and discards the response body. Resolves to the status; 0 without a response.
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
	 * Sends a request to a path outside of `/v1` with other credentials. Resolves to the status; 0 without a response.
	 * @param {string} path
	 * @param {Record<string, string>} headers
	 * @param {string} body
	 * @returns {Promise<number>}
	 */
	post(path, headers, body) {
		return new Promise(resolve => {
			const all = {...headers, 'content-length': Buffer.byteLength(body)};
			http
				.request(new URL(path, this.#url), {method: 'POST', agent: this.#agent, headers: all})
				.on('error', () => resolve(0))
				.on('response', response => {
					response.resume().on('close', () => resolve(response.statusCode ?? 0));
				})
				.end(body);
		});
	}

	/**
	 * Sends a request whose body arrives byte by byte. Resolves when the server closes the connection.
	 * @param {string} path
	 * @param {Record<string, string>} headers
	 * @param {number} bytes length of the body
	 */
	async drip(path, headers, bytes) {
		const {host} = new URL(this.#url);
		const fields = Object.entries({...headers, host, 'content-length': `${bytes}`}).map(
			pair => `${pair.join(': ')}\r\n`,
		);
		const socket = this.connect(`POST ${path} HTTP/1.1\r\n${fields.join('')}\r\n{`).resume();
		const drip = setInterval(() => socket.write(' '), 100);
		await new Promise(resolve => socket.once('close', resolve));
		clearInterval(drip);
	}

	/**
	 * The JSON of a response; undefined if the request was rejected.
	 * @param {string} method
	 * @param {string} path
	 * @param {unknown} [body]
	 * @returns {Promise<unknown>}
	 */
	json(method, path, body) {
		return this.client.json(method, path, body).catch(() => undefined);
	}

	/**
	 * Sends a request and never reads the response.
	 * @param {string} path
	 */
	leaveUnread(path) {
		const lines = Object.entries(this.client.headers).map(pair => `${pair.join(': ')}\r\n`);
		const {host, pathname} = new URL(this.#url);
		return this.connect(`GET ${pathname}${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`);
	}

	/**
	 * Opens a connection to the API and sends this text. The response is not read.
	 * @param {string} text
	 */
	connect(text) {
		const {hostname, port} = new URL(this.#url);
		const socket = net.connect(Number(port), hostname).on('error', () => {});
		socket.write(text);
		return socket;
	}

	connectSmtp() {
		return net.connect(this.#smtp).on('error', () => {});
	}

	connectSmtps() {
		return net.connect(this.#smtps).on('error', () => {});
	}

	/**
	 * Starts a webhook receiver and returns its URL.
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
	 * Repeats an operation in `atOnce` parallel loops until the process ends.
	 * @param {number} atOnce
	 * @param {(turn: number) => Promise<unknown>} act
	 */
	repeat(atOnce, act) {
		let turn = 0;
		for (let index = 0; index < atOnce; index++) {
			void (async () => {
				for (;;) {
					await act(turn++).catch(() => {});
					// Operations that are rejected immediately must not starve other loops.
					await new Promise(resolve => setImmediate(resolve));
				}
			})();
		}
	}

	/**
	 * Repeats an operation `count` times, with 32 in parallel.
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
