import http from 'node:http';
import {Operations} from './operations.js';
import {instead} from './untold.js';

/**
 * @typedef {object} Relay
 * @property {string} url of the API behind it
 * @property {ReadonlyMap<string, boolean>} called the operations that were called, and whether each had a success
 * @property {() => Promise<void>} close
 *
 * @typedef {object} RelayOptions
 * @property {string} url of the API; ends in `/v1`
 * @property {(shown: string) => Promise<string | undefined>} credentialsFor what is shown in place of those of the suite
 * @property {import('./operations.js').Document} document
 * @property {boolean} isWrong whether it adds a field that is not described to each answer
 */

/** Event streams never end by themselves. */
const streamMs = 100;

/** Occasions that a fault lets pass, so that mail that is sent here never meets it: it could end the connection, or wait for minutes. */
const after = '"after": 1000000000';

/** How often a request that is refused for what no schema can say is asked in another form: its fields can be refused one after the other. */
const mostTimes = 10;

/** Of a request: the daemon says itself what is too large. */
const maxHeaderSize = 1024 * 1024;

/** A longer body is sent when it is asked for: else it would come to a connection that a refusal has ended. */
const mostAtOnce = 64 * 1024;

/**
 * Stands between schemathesis and a daemon: has the suite go on with good credentials when it has deleted its own, lets no request
 * wait and no fault act, sends a mail to each new inbox, and asks something else where valid data is refused for what no schema can say.
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
		const given = await read(request);
		const body = operation?.operationId.match(/^create(Inbox)?Fault$/) ? withoutEffect(given) : given;
		/** @type {Record<string, string | string[] | undefined>} */
		const headers = {...request.headers, host: target.host};
		for (const name of /** @type {const} */ (['x-api-key', 'authorization'])) {
			const known = await credentialsFor(String(headers[name] ?? ''));
			headers[name] = known ?? headers[name];
		}

		const path = (request.url ?? '').replace(/([?&]wait=)\d+/g, '$10');
		let asked = {path, body, method: request.method, headers: withoutUndefined(headers)};
		let {answer, bytes} = await ask(asked);
		for (let times = 0; times < mostTimes; times++) {
			const other = instead(operation, asked, {status: answer.statusCode, bytes});
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
			const isLong = body.length > mostAtOnce;
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

/** @param {Buffer} fault as JSON, right or wrong, which it stays */
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
		// An event stream that was ended.
	}

	return Buffer.concat(chunks);
}

/** @param {Record<string, string | string[] | undefined>} headers */
function withoutUndefined(headers) {
	return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

/**
 * A mail with what messages can have, to an inbox.
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
