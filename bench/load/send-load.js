import {once} from 'node:events';
import net from 'node:net';

/** @typedef {{host: string, port: number}} Address */

/** A minimal HTTP connection that sends requests one by one. */
export class HttpSession {
	#socket;
	#received = '';
	/** @type {((status: number) => void) | undefined} */
	#answered;
	/** @type {((error: Error) => void) | undefined} */
	#failed;

	/** @param {Address} address */
	static async open(address) {
		const socket = net.connect(address).setNoDelay().setEncoding('latin1');
		await once(socket, 'connect');
		return new HttpSession(socket);
	}

	/** @param {net.Socket} socket */
	constructor(socket) {
		this.#socket = socket;
		socket.on('data', data => this.#receive(String(data)));
		socket.on('close', () => this.#failed?.(new Error('The server ended the connection.')));
		socket.on('error', error => this.#failed?.(error));
	}

	/**
	 * @param {string | Buffer} request
	 * @returns {Promise<number>} status, when the response is complete
	 */
	ask(request) {
		return new Promise((resolve, reject) => {
			this.#answered = resolve;
			this.#failed = reject;
			this.#socket.write(request);
		});
	}

	close() {
		this.#failed = undefined;
		this.#socket.destroy();
	}

	/** @param {string} data */
	#receive(data) {
		this.#received += data;
		const end = this.#received.indexOf('\r\n\r\n');
		const length = Number(/content-length: *(\d+)/i.exec(this.#received)?.[1]);
		if (end !== -1 && this.#received.length >= end + 4 + length) {
			const status = Number(this.#received.slice(9, 12));
			this.#received = '';
			this.#answered?.(status);
		}
	}
}

/**
 * Sends the same request over persistent connections and measures from the first byte to the last response. Throws if a status
 * is not 200.
 * @param {Address} address
 * @param {{request: Buffer, requests: number, connections: number}} load
 * @returns {Promise<number>} requests per second
 */
export async function requestRate(address, {request, requests, connections}) {
	const sessions = await Promise.all(Array.from({length: connections}, () => HttpSession.open(address)));
	let next = 0;
	const startedAt = performance.now();
	await Promise.all(
		sessions.map(async session => {
			for (; next < requests; ) {
				next += 1;
				const status = await session.ask(request);
				if (status !== 200) {
					throw new Error(`A request was answered with ${status}.`);
				}
			}
		}),
	);
	const rate = (requests / (performance.now() - startedAt)) * 1000;
	for (const session of sessions) {
		session.close();
	}

	return rate;
}

/**
 * A request to version 2 of the SES API in the form of its SDK, for a mail with a text of the given size.
 * @param {{host: string, path: string, key: string, to: string, bytes: number}} options `path` is the prefix of the API path
 */
export function sesRequest({host, path, key, to, bytes}) {
	const text = 'The quick brown fox jumps over the lazy dog. '.repeat(Math.ceil(bytes / 45)).slice(0, bytes);
	const body = JSON.stringify({
		FromEmailAddress: 'bench@sender.test',
		Destination: {ToAddresses: [to]},
		Content: {Simple: {Subject: {Data: 'A mail of the bench'}, Body: {Text: {Data: text}}}},
	});
	const credential = `Credential=${key}/20260101/eu-west-1/ses/aws4_request`;
	return Buffer.from(
		[
			`POST ${path}/v2/email/outbound-emails HTTP/1.1`,
			`Host: ${host}`,
			'Content-Type: application/json',
			'X-Amz-Date: 20260101T000000Z',
			`Authorization: AWS4-HMAC-SHA256 ${credential}, SignedHeaders=content-type;host;x-amz-date, Signature=${'0'.repeat(64)}`,
			`Content-Length: ${Buffer.byteLength(body)}`,
			'',
			body,
		].join('\r\n'),
	);
}
