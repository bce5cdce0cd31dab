import {once} from 'node:events';
import net from 'node:net';
import tls from 'node:tls';

/** After so many milliseconds without a whole reply there is none. */
const patienceMs = 15_000;

/**
 * What came back: a whole reply, or what was heard of one when the connection ended.
 * @typedef {{text: string, isWhole: boolean, ms: number}} Heard
 */

/** A connection that sends exactly the bytes that it is told and hands out replies one by one. */
export class Wire {
	#socket;
	#heard = '';
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

	/** @param {string} text each character a byte; what the server does not want to hear any more is lost */
	send(text) {
		this.#socket.write(text, 'latin1');
	}

	/** What the server says next, and how long that took. */
	async reply() {
		const startedAt = performance.now();
		const heard = (/** @type {string} */ text, isWhole = true) => {
			this.#heard = this.#heard.slice(text.length);
			return {text, isWhole, ms: performance.now() - startedAt};
		};
		for (;;) {
			const [whole] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#heard) ?? [];
			if (whole !== undefined) {
				return heard(whole);
			}

			if (this.#isOver) {
				return heard(this.#heard, false);
			}

			if (performance.now() - startedAt > patienceMs) {
				throw new Error(`nothing more than ${JSON.stringify(this.#heard)} within ${patienceMs} ms`);
			}

			await this.#next();
		}
	}

	/** Shakes hands, which whoever it is may do. */
	async beginTls() {
		this.#socket.removeAllListeners('data').removeAllListeners('close');
		const socket = tls.connect({socket: this.#socket, rejectUnauthorized: false});
		this.#socket = socket;
		this.#listen();
		await once(socket, 'secureConnect');
	}

	/** What was said besides, up to the end. */
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
			this.#heard += text;
			this.#wake();
		});
		socket.on('error', () => {});
		socket.on('end', end).on('close', end);
	}

	/** Until something happens, or for a second. */
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
