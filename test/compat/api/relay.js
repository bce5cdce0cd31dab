import http from 'node:http';
import {Operations} from './operations.js';
import {replacementFor} from './semantic-rules.js';

/**
 * @typedef {object} Relay
 * @property {string} url of the API through the relay
 * @property {ReadonlyMap<string, boolean>} called operations by id, with true if one call succeeded
 * @property {() => Promise<void>} close
 *
 * @typedef {object} RelayOptions
 * @property {string} url of the API, ending with `/v1`
 * @property {(placeholder: string) => Promise<string | undefined>} credentialsFor the valid credential for a placeholder
 * @property {import('./operations.js').Document} document
 * @property {boolean} isWrong adds an undescribed field to each response
 */

/** Event streams are ended after this time. */
const streamMs = 100;

/** Makes faults of the suite ineffective: they could drop connections or delay mail for minutes. */
const after = '"after": 1000000000';

/** Maximum number of replacements of a request, whose fields may be rejected one after another. */
const maxReplacements = 10;

/** Large enough that the daemon, not the relay, rejects large headers. */
const maxHeaderSize = 1024 * 1024;

/** Longer bodies are sent with `Expect: 100-continue`, since a rejection closes the connection. */
const maxUnannounced = 64 * 1024;

/**
 * Starts a relay between schemathesis and a daemon. It replaces credentials by valid ones, makes waits and faults ineffective,
 * sends a mail to each new inbox, and replaces requests with data that only semantic rules reject.
 * @param {RelayOptions} options
 * @returns {Promise<Relay>}
 */
export async function startRelay({url, credentialsFor, document, isWrong}) {
	const target = new URL(url);
	const agent = new http.Agent({maxSockets: 32});
	const operations = new Operations(document);
	const server = http.createServer({maxHeaderSize}, (request, response) => {
		pass(request, response).catch(error => {
			console.error(`${request.method} ${request.url}: ${error}`);
			response.destroy();
		});
	});

	/** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
	async function pass(request, response) {
		const operation = operations.find(request.method, request.url ?? '');
		const original = await read(request);
		const body = operation?.operationId.match(/^create(Inbox)?Fault$/) ? withoutEffect(original) : original;
		/** @type {Record<string, string | string[] | undefined>} */
		const headers = {...request.headers, host: target.host};
		for (const name of /** @type {const} */ (['x-api-key', 'authorization'])) {
			const known = await credentialsFor(String(headers[name] ?? ''));
			headers[name] = known ?? headers[name];
		}

		const path = (request.url ?? '').replace(/([?&]wait=)\d+/g, '$10');
		let asked = {path, body, method: request.method, headers: withoutUndefined(headers)};
		let {answer, bytes} = await ask(asked);
		for (let times = 0; times < maxReplacements; times++) {
			const other = replacementFor(operation, asked, {status: answer.statusCode, bytes});
			if (!other) {
				break;
			}

			asked = other;
			({answer, bytes} = await ask(asked));
		}

		operations.note(operation, answer.statusCode);
		const type = answer.headers['content-type'] ?? '';
		if (isWrong && type.startsWith('application/json') && bytes.length > 0) {
			bytes = Buffer.from(String(bytes).replace(/^\{/, '{"surprise":1,'));
		}

		if (request.method === 'POST' && path === '/v1/inboxes' && answer.statusCode === 201) {
			await sendMail(target.href, String(headers['x-api-key']), JSON.parse(String(bytes)).email_address);
		}

		const {'transfer-encoding': _, 'content-length': __, connection: ___, ...kept} = answer.headers;
		const isEmpty = request.method === 'HEAD' || [204, 304].includes(answer.statusCode ?? 0);
		response.writeHead(answer.statusCode ?? 502, {...kept, ...(isEmpty ? {} : {'content-length': bytes.length})});
		response.end(isEmpty ? undefined : bytes);
	}

	/** @param {http.RequestOptions & {body: Buffer, headers: Record<string, string | string[] | undefined>}} request */
	async function ask({headers, body, ...options}) {
		const answer = await new Promise((/** @type {(answer: http.IncomingMessage) => void} */ resolve, reject) => {
			const isLong = body.length > maxUnannounced;
			const {'content-length': _, 'transfer-encoding': __, ...rest} = headers;
			const length = body.length > 0 || headers['content-length'] !== undefined ? {'content-length': body.length} : {};
			const sent = {...rest, ...length, ...(isLong && {expect: '100-continue'})};
			const onward = http.request({agent, host: target.hostname, port: target.port, headers: sent, ...options});
			onward.on('response', resolve).on('error', reject);
			if (isLong) {
				onward.on('continue', () => onward.end(body)).flushHeaders();
			} else {
				onward.end(body);
			}
		});
		if (answer.headers['content-type']?.startsWith('text/event-stream')) {
			setTimeout(() => answer.destroy(), streamMs);
		}

		return {answer, bytes: await read(answer)};
	}

	await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
	const {port} = /** @type {import('node:net').AddressInfo} */ (server.address());
	return {
		url: `http://127.0.0.1:${port}/v1`,
		called: operations.called,
		async close() {
			agent.destroy();
			server.closeAllConnections();
			await new Promise(resolve => server.close(resolve));
		},
	};
}

/** @param {Buffer} fault valid or invalid JSON; stays so */
function withoutEffect(fault) {
	const text = String(fault);
	return Buffer.from(
		text.includes('"after":')
			? text.replace(/"after": (null|\d{1,9})(?=[,}])/, after)
			: text.replace(/^\{(?=")/, `{${after}, `),
	);
}

/** @param {http.IncomingMessage} message */
async function read(message) {
	const chunks = [];
	try {
		for await (const chunk of message) {
			chunks.push(chunk);
		}
	} catch {
		// An event stream was ended.
	}

	return Buffer.concat(chunks);
}

/** @param {Record<string, string | string[] | undefined>} headers */
function withoutUndefined(headers) {
	return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

/**
 * Sends a mail with a code, a link and an attachment.
 * @param {string} url
 * @param {string} key
 * @param {string} to
 */
async function sendMail(url, key, to) {
	await fetch(`${url}/send`, {
		method: 'POST',
		headers: {'X-API-Key': key, 'Content-Type': 'application/json'},
		body: JSON.stringify({
			from: 'app@example.com',
			to: to.replace('*', 'ann'),
			subject: 'Your code',
			html: '<p>Code 123456 <a href="https://app.test/x">here</a>',
			attachments: [{filename: 'a.txt', content: 'aGk='}],
		}),
	});
}
