import {once} from 'node:events';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

/** A raw SMTP connection that counts replies. */
export class RawSmtp {
	/** All received data. */
	received = '';
	#wake = () => {};

	/** @param {import('./start.js').Address} address */
	constructor({host, port}) {
		this.socket = net.connect({host, port}).setNoDelay(true).setEncoding('latin1');
		this.socket.on('error', () => {});
		this.socket.on('close', () => this.#wake());
		this.socket.on('data', text => {
			this.received += text;
			this.#wake();
		});
	}

	/** Connects and sends the commands up to DATA.
	 * @param {import('./start.js').Address} address
	 * @param {string} to
	 */
	static async atData(address, to) {
		const smtp = new RawSmtp(address);
		await smtp.replies(1);
		for (const line of ['EHLO proof.test', 'MAIL FROM:<proof@sender.test>', `RCPT TO:<${to}>`, 'DATA']) {
			const before = smtp.count();
			await smtp.send(`${line}\r\n`);
			await smtp.replies(before + 1);
		}

		return smtp;
	}

	/** Sends a text, if possible as a separate TCP segment.
	 * @param {string} text one character per byte
	 */
	async send(text) {
		await new Promise(resolve => this.socket.write(text, 'latin1', resolve));
	}

	/** Number of received replies; multi-line replies count once. */
	count() {
		return this.received.match(/^\d{3} .*\r\n/gm)?.length ?? 0;
	}

	/** Waits until `count` replies were received or the connection closed.
	 * @param {number} count
	 */
	async replies(count) {
		while (this.count() < count && !this.socket.closed) {
			await new Promise(resolve => {
				this.#wake = () => resolve(undefined);
			});
		}
	}

	/** Sends QUIT and waits until the connection is closed. */
	async quit() {
		await this.send('QUIT\r\n');
		await Promise.race([this.socket.closed || once(this.socket, 'close'), sleep(5000)]);
		this.socket.destroy();
	}
}
