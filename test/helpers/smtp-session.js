import {once} from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

/**
 * The address of a server, its kind of TLS (certificates are not verified) and the login.
 * @typedef {{host: string, port: number, secure?: 'starttls' | 'implicit', login?: Login}} Address
 * @typedef {{user: string, password: string}} Login
 */

/** A minimal SMTP client that waits for the reply to every command. */
export class SmtpSession {
	#socket;
	#buffer = '';
	/** @type {((line: string) => void) | undefined} */
	#waiting;
	/** @type {((error: Error) => void) | undefined} */
	#failed;

	/** @param {net.Socket} socket connected */
	constructor(socket) {
		this.#socket = socket;
		this.#listen();
	}

	/** Connects, and starts TLS and logs in if the address says so.
	 * @param {Address} address */
	static async open({host, port, secure, login}) {
		const socket =
			secure === 'implicit' ? tls.connect({host, port, rejectUnauthorized: false}) : net.connect({host, port});
		const session = new SmtpSession(socket);
		await session.#reply('220');
		await session.command('EHLO bench.test', '250');
		if (secure === 'starttls') {
			await session.command('STARTTLS', '220');
			await session.#shakeHands();
			await session.command('EHLO bench.test', '250');
		}

		if (login) {
			const token = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64');
			await session.command(`AUTH PLAIN ${token}`, '235');
		}

		return session;
	}

	async #shakeHands() {
		this.#socket.removeAllListeners('data').pause();
		const socket = tls.connect({socket: this.#socket, rejectUnauthorized: false});
		this.#socket = socket;
		this.#listen();
		await once(socket, 'secureConnect');
	}

	#listen() {
		const socket = this.#socket;
		socket.setEncoding('latin1').setNoDelay(true);
		socket.on('data', chunk => this.#take(String(chunk)));
		socket.on('error', error => this.#failed?.(error));
		socket.on('close', () => this.#failed?.(new Error('The server closed the connection.')));
	}

	/**
	 * @param {string} from
	 * @param {string} to
	 * @param {string | Buffer} mail dot-stuffed, with its final line break
	 */
	async send(from, to, mail) {
		await this.command(`MAIL FROM:<${from}>`, '250');
		await this.command(`RCPT TO:<${to}>`, '250');
		await this.command('DATA', '354');
		this.#socket.write(mail);
		await this.command('.', '250');
	}

	/**
	 * @param {string} line
	 * @param {string} expected reply code
	 */
	command(line, expected) {
		this.#socket.write(`${line}\r\n`);
		return this.#reply(expected);
	}

	async quit() {
		await this.command('QUIT', '221');
		this.#socket.destroy();
	}

	/** Closes the connection without QUIT. */
	destroy() {
		this.#socket.destroy();
	}

	/** @param {string} expected */
	async #reply(expected) {
		if (this.#socket.destroyed) {
			throw new Error('The connection is closed.');
		}

		/** @type {string} */
		const line = await new Promise((resolve, reject) => {
			this.#waiting = resolve;
			this.#failed = reject;
		});
		if (!line.startsWith(expected)) {
			throw new Error(`Expected ${expected}, the server replied: ${line}`);
		}
	}

	/** @param {string} chunk */
	#take(chunk) {
		this.#buffer += chunk;
		const last = /(?:^|\n)(\d{3} .*)\r\n$/.exec(this.#buffer);
		if (last) {
			this.#buffer = '';
			this.#waiting?.(last[1] ?? '');
		}
	}
}
