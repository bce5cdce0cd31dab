import {once} from 'node:events';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

/** A connection that sends exactly what it is told and counts the replies. */
export class RawSmtp {
	/** All that the server said. */
	heard = '';
	#wake = () => {};

	/** @param {import('./start.js').Address} address */
	constructor({host, port}) {
		this.socket = net.connect({host, port}).setNoDelay(true).setEncoding('latin1');
		this.socket.on('error', () => {});
		this.socket.on('close', () => this.#wake());
		this.socket.on('data', text => {
			this.heard += text;
			this.#wake();
		});
	}

	/** Connects, and says what leads to the data of a mail.
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

	/** Sends a segment of its own, as far as that can be had.
	 * @param {string} text each character a byte
	 */
	async send(text) {
		await new Promise(resolve => this.socket.write(text, 'latin1', resolve));
	}

	/** How many replies there were, of however many lines. */
	count() {
		return this.heard.match(/^\d{3} .*\r\n/gm)?.length ?? 0;
	}

	/** Waits until there were so many replies, or none can come any more.
	 * @param {number} count
	 */
	async replies(count) {
		while (this.count() < count && !this.socket.closed) {
			await new Promise(resolve => {
				this.#wake = () => resolve(undefined);
			});
		}
	}

	/** Ends the session in good order, after which no further reply can come. */
	async quit() {
		await this.send('QUIT\r\n');
		await Promise.race([this.socket.closed || once(this.socket, 'close'), sleep(5000)]);
		this.socket.destroy();
	}
}
