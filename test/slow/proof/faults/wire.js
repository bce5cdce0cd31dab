import {once} from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

/** Timeout for a reply. */
const patienceMs = 15_000;

/**
 * A reply, or the received part of it if the connection ended.
 * @typedef {{text: string, isWhole: boolean, ms: number}} Received
 */

/** A raw SMTP connection that returns replies one by one. */
export class Wire {
	#socket;
	#received = '';
	#isOver = false;
	#wake = () => {};

	/** @param {net.Socket} socket */
	constructor(socket) {
		this.#socket = socket;
		this.#listen();
	}

	/** @param {import('../start.js').Address} address */
	static open({host, port}) {
		return new Wire(net.connect({host, port}));
	}

	/** @param {string} text one character per byte; ignored after the connection closed */
	send(text) {
		this.#socket.write(text, 'latin1');
	}

	/** Waits for the next reply. */
	async reply() {
		const startedAt = performance.now();
		const received = (/** @type {string} */ text, isWhole = true) => {
			this.#received = this.#received.slice(text.length);
			return {text, isWhole, ms: performance.now() - startedAt};
		};
		for (;;) {
			const [whole] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received) ?? [];
			if (whole !== undefined) {
				return received(whole);
			}

			if (this.#isOver) {
				return received(this.#received, false);
			}

			if (performance.now() - startedAt > patienceMs) {
				throw new Error(`nothing more than ${JSON.stringify(this.#received)} within ${patienceMs} ms`);
			}

			await this.#next();
		}
	}

	/** Starts TLS without verifying the certificate. */
	async beginTls() {
		this.#socket.removeAllListeners('data').removeAllListeners('close');
		const socket = tls.connect({socket: this.#socket, rejectUnauthorized: false});
		this.#socket = socket;
		this.#listen();
		await once(socket, 'secureConnect');
	}

	/** Closes the connection and returns the remaining data. */
	async rest() {
		this.#socket.end();
		const {text, isWhole} = await this.reply();
		this.#socket.destroy();
		return isWhole || text !== '' ? text : '';
	}

	leave() {
		this.#socket.destroy();
	}

	#listen() {
		const end = () => {
			this.#isOver = true;
			this.#wake();
		};
		const socket = this.#socket;
		socket.setEncoding('latin1').setNoDelay(true);
		socket.on('data', text => {
			this.#received += text;
			this.#wake();
		});
		socket.on('error', () => {});
		socket.on('end', end).on('close', end);
	}

	/** Waits for the next event, at most a second. */
	async #next() {
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		await new Promise(resolve => {
			this.#wake = () => resolve(undefined);
			timer = setTimeout(resolve, 1000);
		});
		clearTimeout(timer);
	}
}
