import {once} from 'node:events';
import {request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions} from 'node:http';
import {request as httpsRequest} from 'node:https';
import {pipeline} from 'node:stream/promises';
import {causeOf} from '../../../../lib/errors.js';
import type {Responder} from './receiver.js';

/** Answers with these statuses in turn, and with the last one from then on. */
export function respondWith(statuses: readonly number[]): Responder {
	let count = 0;
	return async (_, response) => {
		const status = statuses[Math.min(count, statuses.length - 1)] ?? 200;
		count += 1;
		response.writeHead(status).end();
		return {status};
	};
}

/** Forwards each request unchanged, and its answer back; 502 when there is none. */
export function forwardTo(url: string): Responder {
	return async ({headers, body}, response) => {
		const left = new AbortController();
		response.once('close', () => left.abort());
		try {
			const answer = await post(url, {headers: endToEnd(headers), signal: left.signal}, body);
			const status = answer.statusCode ?? 502;
			response.writeHead(status, endToEnd(answer.headers));
			// If either side breaks off now, the status has been passed on already.
			await pipeline(answer, response).catch(() => {});
			return {status};
		} catch (error) {
			const reason = left.signal.aborted ? 'the sender closed the connection' : causeOf(error);
			const forwardError = `No response from ${url}: ${reason}`;
			response.writeHead(502, {'content-type': 'text/plain'}).end(`${forwardError}\n`);
			return {status: 502, forwardError};
		}
	};
}

async function post(url: string, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
	const request = url.startsWith('https:') ? httpsRequest : httpRequest;
	const outgoing = request(url, {...options, method: 'POST'});
	outgoing.end(body);
	const [answer] = await once(outgoing, 'response');
	return answer;
}

/** Headers that belong to one connection, and not to the request or answer that goes over it (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
	'connection',
	'host',
	'keep-alive',
	'proxy-authenticate',
	'proxy-authorization',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
