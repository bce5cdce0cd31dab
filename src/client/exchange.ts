import type {IncomingMessage} from 'node:http';
import {causeOf} from '../lib/errors.js';
import {formatSize} from '../lib/text/units.js';
import {readUrl} from '../lib/text/url.js';
import {TooLongError, UnreachableError} from './errors.js';

export type Call = {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Path below the base URL; created by `path`. */
	readonly path: string;
	/** An array is encoded as a repeated parameter. */
	readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	/** Source of a mail, sent instead of a JSON body. */
	readonly mail?: Uint8Array<ArrayBuffer> | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Timeout for the whole response. */
	readonly deadlineMs?: number;
	/** Maximum length of the response; default: unlimited. */
	readonly maxBytes?: number;
	/** Opens a connection to a daemon in this process; default: a socket to its address. */
	readonly connect?: (() => import('node:stream').Duplex) | undefined;
};

/** Response with its body, or with a stream of its body. */
export type HttpResponse<Body extends Buffer | IncomingMessage = Buffer> = {
	readonly status: number;
	readonly body: Body;
};

/**
 * Minimum length of a body that is sent with `Expect: 100-continue`: an error response in the middle of the upload might be
 * lost (RFC 9110, section 10.1.1).
 */
const expectBytes = 64 * 1024;

const defaultDeadlineMs = 30_000;

/**
 * Sends a request on a new connection, because an open connection would keep a short-lived command from exiting. Rejects with
 * `UnreachableError` if there is no response in time, and with the reason of the signal if it aborts.
 */
export async function fetchResponse(
	url: string,
	call: Call,
	credentials: Record<string, string>,
): Promise<HttpResponse> {
	const {deadlineMs = defaultDeadlineMs, maxBytes, signal} = call;
	const deadline = AbortSignal.timeout(deadlineMs);
	const over = signal ? AbortSignal.any([signal, deadline]) : deadline;
	try {
		const {status, body} = await send(baseAddress(url), call, credentials, over);
		return {status, body: await readBody(url, body, maxBytes)};
	} catch (error) {
		signal?.throwIfAborted();
		if (error instanceof UnreachableError) {
			throw error;
		}

		const reason = deadline.aborted
			? `did not respond within ${deadlineMs / 1000} s.`
			: `cannot be reached: ${causeOf(error)}.`;
		throw new UnreachableError(url, reason, {cause: error});
	}
}

/** Like `fetchAnswer`, but returns the body as a stream, without a timeout. */
export async function openResponse(
	url: string,
	call: Call,
	credentials: Record<string, string>,
): Promise<HttpResponse<IncomingMessage>> {
	try {
		return await send(baseAddress(url), call, credentials, call.signal);
	} catch (error) {
		call.signal?.throwIfAborted();
		throw new UnreachableError(url, `cannot be reached: ${causeOf(error)}.`, {cause: error});
	}
}

/** Base URL of the API; `/v1` is added if there is no path. Throws a `TypeError` for an invalid URL. */
export function baseAddress(url: string): URL {
	const base = readUrl(url);
	if (!base) {
		// The error of URL would contain the URL with its password.
		throw new TypeError('Invalid URL');
	}

	base.pathname = base.pathname === '/' ? '/v1' : base.pathname.replace(/\/$/, '');
	return base;
}

/** Buffers a body. Throws `TooLongError` if it is longer than `maxBytes`. */
export async function readBody(
	url: string,
	body: IncomingMessage,
	maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > maxBytes) {
			const limit = formatSize(maxBytes);
			throw new TooLongError(url, `returned more than ${limit}. Request less data, or check the address.`);
		}

		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

async function send(
	base: URL,
	call: Call,
	credentials: Record<string, string>,
	signal: AbortSignal | undefined,
): Promise<HttpResponse<IncomingMessage>> {
	const {method, path, query, headers, connect} = call;
	const payload = payloadOf(call);
	const isLong = payload !== undefined && payload.data.length > expectBytes;
	// An import would read all properties of the module, which loads a WebSocket client in some versions of Node.js.
	const {request} = process.getBuiltinModule(base.protocol === 'https:' ? 'node:https' : 'node:http');
	return new Promise((resolve, reject) => {
		const outgoing = request({
			protocol: base.protocol,
			hostname: base.hostname.replace(/^\[|\]$/g, ''),
			port: base.port,
			// URL would resolve an id such as "..".
			path: base.pathname + path + queryOf(query),
			method,
			headers: {
				...headers,
				...credentials,
				...(payload && {'content-type': payload.type}),
				...(isLong && {expect: '100-continue', 'content-length': Buffer.byteLength(payload.data)}),
			},
			...(connect ? {createConnection: connect} : {agent: false}),
			...(signal && {signal}),
		});
		outgoing.once('error', reject);
		outgoing.once('response', response => {
			resolve({status: response.statusCode ?? 0, body: response});
			// The server responded without reading the body.
			response.once('end', () => outgoing.writableEnded || outgoing.destroy());
		});
		if (isLong) {
			outgoing.once('continue', () => outgoing.end(payload?.data));
			outgoing.flushHeaders();
		} else {
			outgoing.end(payload?.data);
		}
	});
}

/** Body of a call with its media type; undefined for none. */
export function payloadOf({
	body,
	mail,
}: Pick<Call, 'body' | 'mail'>): {readonly type: string; readonly data: string | Uint8Array<ArrayBuffer>} | undefined {
	if (mail) {
		return {type: 'message/rfc822', data: mail};
	}

	return body === undefined ? undefined : {type: 'application/json', data: JSON.stringify(body)};
}

/** Query string with its question mark; empty for no parameters. */
export function queryOf(query: Call['query'] = {}): string {
	const given = new URLSearchParams();
	for (const [name, values = []] of Object.entries(query)) {
		for (const value of [values].flat()) {
			given.append(name, String(value));
		}
	}

	return given.size === 0 ? '' : `?${given}`;
}
