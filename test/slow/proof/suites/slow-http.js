import {once} from 'node:events';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';

const mail = Buffer.from(
	`Subject: large\r\n\r\n${'A line of a large mail, with as many bytes as a line has.\r\n'.repeat(350_000)}`,
);

/** Maximum memory per waiting reader: a tenth of the mail. */
const maxMegabytes = 2;

/**
 * Clients that do not read their response, send a body byte by byte or send an endless body, while others get normal
 * responses. Measures the memory of buffers while all of them wait.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{clients?: number, progress?: (text: string) => void}} options
 */
export async function runSlowClients(daemon, {clients = 5, progress = () => {}} = {}) {
	const client = await Client.of(daemon);
	const inbox = await client.createInbox();
	const session = await SmtpSession.open(daemon.smtp);
	await session.send('proof@sender.test', inbox.address, mail);
	await session.quit();
	const {id} = (await client.json('GET', `/inboxes/${inbox.id}/messages?q=large&limit=1`))[0];
	const counts = {
		readers: clients,
		wrongBytes: 0,
		senders: clients,
		misanswered: 0,
		oversized: clients,
		taken: 0,
		others: 0,
		refused: 0,
	};
	const {bufferMegabytes: before} = await daemon.report();

	const times = (/** @type {() => Promise<Raw>} */ open) => Promise.all(Array.from({length: clients}, open));
	const {headers} = client;
	const path = `/inboxes/${inbox.id}/messages/${id}/raw`;
	const readers = await times(() => Raw.open(daemon.url, `GET ${path}`, headers));
	const json = {...headers, 'Content-Type': 'application/json'};
	const senders = await times(() => Raw.open(daemon.url, 'POST /inboxes', {...json, 'Content-Length': '15'}));
	const floods = await times(() => Raw.open(daemon.url, 'POST /inboxes', {...json, 'Transfer-Encoding': 'chunked'}));
	const flooding = floods.map(flood => flood.pour());
	for (const character of '{"name":"slow"') {
		for (const {socket} of senders) {
			socket.write(character);
		}

		const {status} = await client.send('GET', '/inboxes');
		counts.others++;
		counts.refused += status === 200 ? 0 : 1;
		await sleep(20);
	}

	const {bufferMegabytes: during} = await daemon.report();
	for (const {socket} of senders) {
		socket.write('}');
	}

	progress(JSON.stringify(counts));
	for (const sender of senders) {
		const answer = await sender.answer();
		counts.misanswered += answer.startsWith('HTTP/1.1 201 ') ? 0 : 1;
	}

	counts.taken = (await Promise.all(flooding)).filter(isRefused => !isRefused).length;
	for (const reader of readers) {
		const [, body] = (await reader.answer()).split(/\r\n\r\n(.*)/s);
		counts.wrongBytes += body === mail.toString('latin1') ? 0 : 1;
	}

	client.close();
	const {stalls, errors} = await daemon.report();
	const heldMegabytes = Math.round(during - before);
	const tooManyMegabytes = Math.max(0, heldMegabytes - maxMegabytes * clients);
	return {...counts, heldMegabytes, tooManyMegabytes, stalls, errors: errors.length};
}

/** A request on a new connection whose response is read later. */
class Raw {
	/** @param {net.Socket} socket */
	constructor(socket) {
		this.socket = socket.on('error', () => {});
		this.closed = new Promise(resolve => socket.once('close', resolve));
	}

	/**
	 * @param {string} url
	 * @param {string} request
	 * @param {Record<string, string>} headers
	 */
	static async open(url, request, headers) {
		const {hostname, port, host, pathname} = new URL(url);
		const raw = new Raw(net.connect(Number(port), hostname));
		await once(raw.socket, 'connect');
		const [method, path] = request.split(' ');
		const lines = Object.entries({...headers, Host: host, Connection: 'close'}).map(pair => pair.join(': '));
		raw.socket.write([`${method} ${pathname}${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
		return raw;
	}

	/** Sends a huge body until the server closes the connection; false if the server accepted all of it. */
	async pour() {
		this.socket.resume();
		const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
		for (let sent = 0; sent < 400 && this.socket.writable; sent++) {
			if (!this.socket.write(piece)) {
				await Promise.race([this.closed, new Promise(resolve => this.socket.once('drain', resolve))]);
			}
		}

		const isRefused = !this.socket.writable;
		this.socket.destroy();
		return isRefused;
	}

	/** Reads the response until the connection is closed. */
	async answer() {
		/** @type {Buffer[]} */
		const chunks = [];
		this.socket.on('data', chunk => chunks.push(Buffer.from(chunk)));
		await this.closed;
		return Buffer.concat(chunks).toString('latin1');
	}
}
