import http from 'node:http';

/**
 * @typedef {import('./start.js').TestDaemon} TestDaemon
 * @typedef {{id: string, address: string}} Inbox
 * @typedef {{status: number, headers: import('node:http').IncomingHttpHeaders, bytes: Buffer}} Answer
 */

/** An API client with the credentials of a user and persistent connections. */
export class Client {
	#agent = new http.Agent({keepAlive: true, maxSockets: 256});
	/** URL of the API, ending with `/v1`. */
	url;
	/** Headers with credentials. */
	headers;

	/**
	 * @param {string} url
	 * @param {Record<string, string>} headers
	 */
	constructor(url, headers) {
		this.url = url;
		this.headers = headers;
	}

	/**
	 * Creates a user with a token and a key.
	 * @param {TestDaemon} daemon
	 */
	static async of({url, operatorToken}) {
		const operator = new Client(url, {authorization: `Bearer ${operatorToken}`});
		const email = `proof-${Date.now()}-${Math.random()}@localhost`;
		const user = await operator.json('POST', '/users', {name: 'proof', email, plan: 'business'});
		const {token} = await operator.json('POST', `/users/${user.id}/tokens`, {});
		operator.close();
		const holder = new Client(url, {authorization: `Bearer ${token}`});
		const {key} = await holder.json('POST', '/inboxes/keys', {name: 'proof'});
		holder.close();
		return new Client(url, {'x-api-key': key, authorization: `Bearer ${token}`});
	}

	/** @returns {Promise<Inbox>} */
	async createInbox() {
		const {id, email_address: address} = await this.json('POST', '/inboxes', {});
		return {id, address};
	}

	/**
	 * All messages of an inbox.
	 * @param {Inbox} inbox
	 * @returns {Promise<Array<{id: string, to: string, subject: string}>>}
	 */
	async messages({id}) {
		const found = [];
		for (let page = 1; ; page++) {
			const rows = await this.json('GET', `/inboxes/${id}/messages?limit=100&page=${page}`);
			found.push(...rows);
			if (rows.length < 100) {
				return found;
			}
		}
	}

	/**
	 * Sends a request and returns its JSON. Throws if it does not succeed.
	 * @param {string} method
	 * @param {string} path
	 * @param {unknown} [body]
	 * @returns {Promise<any>}
	 */
	async json(method, path, body) {
		const {status, bytes} = await this.send(method, path, body);
		if (status >= 300) {
			throw new Error(`${method} ${path} answered ${status}: ${bytes}`);
		}

		return status === 204 ? undefined : JSON.parse(String(bytes));
	}

	/**
	 * @param {string} method
	 * @param {string} path
	 * @param {unknown} [body]
	 * @returns {Promise<Answer>}
	 */
	send(method, path, body) {
		const text = body === undefined ? undefined : JSON.stringify(body);
		const headers = {
			...this.headers,
			...(text !== undefined && {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)}),
		};
		return new Promise((resolve, reject) => {
			const request = http.request(this.url + path, {method, agent: this.#agent, headers}, response => {
				/** @type {Buffer[]} */
				const chunks = [];
				response.on('data', chunk => chunks.push(chunk));
				response.on('error', reject);
				const {statusCode: status = 0, headers} = response;
				response.on('end', () => resolve({status, headers, bytes: Buffer.concat(chunks)}));
				if (headers['content-type']?.startsWith('text/event-stream')) {
					// An event stream does not end.
					resolve({status, headers, bytes: Buffer.alloc(0)});
					response.destroy();
				}
			});
			request.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
				// The server may close an idle connection at the moment of the next request.
				const isRace = method === 'GET' && request.reusedSocket && error.code === 'ECONNRESET';
				return isRace ? resolve(this.send(method, path)) : reject(error);
			});
			request.end(text);
		});
	}

	close() {
		this.#agent.destroy();
	}
}
