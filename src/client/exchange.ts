import type {IncomingMessage} from 'node:http';
import {causeOf} from '../lib/errors.js';
import {readBytes} from '../lib/io/streams.js';
import {formatSize} from '../lib/text/units.js';
import {readUrl} from '../lib/text/url.js';
import {TooLongError, UnreachableError} from './errors.js';

export type Call = {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Below the base address; made by `path`. */
	readonly path: string;
	/** Each value of an array is a parameter of its own. */
	readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
	/** The source of a mail, in place of a body in JSON. */
	readonly mail?: Uint8Array<ArrayBuffer> | undefined;
	readonly signal?: AbortSignal | undefined;
	/** How long the whole answer may take. */
	readonly deadlineMs?: number;
	/** How many bytes the answer may have; any number unless given. */
	readonly maxBytes?: number;
};

/** An answer with its whole body, or one whose body is still coming. */
export type HttpAnswer<Body extends Buffer | IncomingMessage = Buffer> = {readonly status: number; readonly body: Body};

/** What is longer is sent once the daemon says that it will be read: a refusal in the middle might not arrive (RFC 9110, section 10.1.1). */
const longBytes = 64 * 1024;

const defaultDeadlineMs = 30_000;

/**
 * One request on a connection of its own, so that nothing keeps a short-lived command from ending. No answer in time
 * is an `UnreachableError`; an aborted call rejects with the reason of its signal.
 */
export async function fetchAnswer(url: string, call: Call, credentials: Record<string, string>): Promise<HttpAnswer> {
	const {deadlineMs = defaultDeadlineMs, maxBytes, signal} = call;
	const deadline = AbortSignal.timeout(deadlineMs);
	const over = signal ? AbortSignal.any([signal, deadline]) : deadline;
	try {
		const {status, body} = await send(baseAddress(url), call, credentials, over);
		return {status, body: await collect(url, body, maxBytes)};
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

/** The same for an answer that goes on as long as both sides like. */
export async function openAnswer(
	url: string,
	call: Call,
	credentials: Record<string, string>,
): Promise<HttpAnswer<IncomingMessage>> {
	try {
		return await send(baseAddress(url), call, credentials, call.signal);
	} catch (error) {
		call.signal?.throwIfAborted();
		throw new UnreachableError(url, `cannot be reached: ${causeOf(error)}.`, {cause: error});
	}
}

/** The base address of an API; one without a path gets the version. Throws a `TypeError` for what is no address. */
export function baseAddress(url: string): URL {
	const base = readUrl(url);
	if (!base) {
		// That of URL shows the address, in which a password may stand.
		throw new TypeError('Invalid URL');
	}

	base.pathname = base.pathname === '/' ? '/v1' : base.pathname.replace(/\/$/, '');
	return base;
}

/** The whole body. Throws `UnreachableError` when it is longer. */
export async function collect(
	url: string,
	body: IncomingMessage,
	maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
	const bytes = await readBytes(body, maxBytes);
	if (bytes === undefined) {
		body.destroy();
		const limit = formatSize(maxBytes);
		throw new TooLongError(url, `returned more than ${limit}. Request less data, or check the address.`);
	}

	return bytes;
}

async function send(
	base: URL,
	call: Call,
	credentials: Record<string, string>,
	signal: AbortSignal | undefined,
): Promise<HttpAnswer<IncomingMessage>> {
	const {method, path, query, headers} = call;
	const payload = payloadOf(call);
	const isLong = payload !== undefined && payload.data.length > longBytes;
	// Not by import, which reads every property of the module: in some versions of Node.js that loads a WebSocket client.
	const {request} = process.getBuiltinModule(base.protocol === 'https:' ? 'node:https' : 'node:http');
	return new Promise((resolve, reject) => {
		const outgoing = request({
			protocol: base.protocol,
			hostname: base.hostname.replace(/^\[|\]$/g, ''),
			port: base.port,
			// Not through URL, which would resolve an id such as "..".
			path: base.pathname + path + queryOf(query),
			method,
			headers: {
				...headers,
				...credentials,
				...(payload && {'content-type': payload.type}),
				...(isLong && {expect: '100-continue', 'content-length': Buffer.byteLength(payload.data)}),
			},
			agent: false,
			...(signal && {signal}),
		});
		outgoing.once('error', reject);
		outgoing.once('response', response => {
			resolve({status: response.statusCode ?? 0, body: response});
			// Refused before it was sent.
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

/** What a call sends, and its media type; undefined for nothing. */
export function payloadOf({
	body,
	mail,
}: Pick<Call, 'body' | 'mail'>): {readonly type: string; readonly data: string | Uint8Array<ArrayBuffer>} | undefined {
	if (mail) {
		return {type: 'message/rfc822', data: mail};
	}

	return body === undefined ? undefined : {type: 'application/json', data: JSON.stringify(body)};
}

/** With its question mark; `''` where nothing is asked. */
export function queryOf(query: Call['query'] = {}): string {
	const given = new URLSearchParams();
	for (const [name, values = []] of Object.entries(query)) {
		for (const value of [values].flat()) {
			given.append(name, String(value));
		}
	}

	return given.size === 0 ? '' : `?${given}`;
}
