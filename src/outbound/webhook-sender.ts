import {once} from 'node:events';
import {pipeline, type Readable} from 'node:stream';
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';
import {Agent, request} from 'undici';
import {literalAddress, type TargetPolicy} from '../domain/target.js';
import type {Attempt, SendWebhook} from '../domain/webhook.js';
import {reasonOf} from '../lib/errors.js';
import {version} from '../lib/version.js';
import {createLookup, ForbiddenTarget, type Resolve} from './lookup.js';

/** Bytes of a response that are kept. */
export const maxResponseBytes = 16 * 1024;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
};

export type WebhookSender = {
	readonly send: SendWebhook;
	/** Drops all connections. */
	close(): Promise<void>;
};

export type WebhookSenderOptions = {
	readonly allows: TargetPolicy;
	/** For an attempt as a whole: name lookup, connection, TLS, headers and body. */
	readonly timeoutMs?: number;
	readonly resolve?: Resolve;
};

/** Makes webhook attempts over connections that are kept open for the next one. Redirects are not followed. */
export function createWebhookSender({allows, timeoutMs = 15_000, resolve}: WebhookSenderOptions): WebhookSender {
	const agent = new Agent({
		connect: {lookup: createLookup(allows, resolve), timeout: timeoutMs},
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
	});

	const send: SendWebhook = async ({url, headers, body, signal}) => {
		const attempt = new AbortController();
		const interrupt = () => attempt.abort(new Error('The attempt was interrupted.'));
		const timer = setTimeout(
			() => attempt.abort(new Error(`There was no answer within ${timeoutMs / 1000} s.`)),
			timeoutMs,
		);
		signal?.addEventListener('abort', interrupt, {once: true});
		try {
			signal?.throwIfAborted();
			assertAllowed(url, allows);
			const answer = request(url, {
				dispatcher: agent,
				method: 'POST',
				headers: {'Content-Type': 'application/json', 'User-Agent': `tinbox/${version}`, ...headers},
				body,
				signal: attempt.signal,
				highWaterMark: maxResponseBytes,
			});
			const response = await Promise.race([answer, rejectionOf(attempt.signal)]);
			const status = response.statusCode;
			const encoding = String(response.headers['content-encoding'] ?? '');
			return {ok: status >= 200 && status < 300, status, body: await responseText(response.body, encoding)};
		} catch (error) {
			return unanswered(attempt.signal.aborted ? attempt.signal.reason : error);
		} finally {
			clearTimeout(timer);
			signal?.removeEventListener('abort', interrupt);
		}
	};

	return {send, close: () => agent.destroy()};
}

/** A literal address never reaches the lookup, so it is checked here. */
function assertAllowed(url: string, allows: TargetPolicy): void {
	const address = literalAddress(url);
	if (address !== undefined && !allows(address)) {
		throw new ForbiddenTarget(address, address);
	}
}

/** Rejects once the signal is aborted: undici takes no notice of it until there is a connection. */
async function rejectionOf(signal: AbortSignal): Promise<never> {
	await once(signal, 'abort');
	throw signal.reason;
}

function unanswered(error: unknown): Attempt {
	// Several addresses tried in vain make an error without a text of its own.
	const cause = error instanceof AggregateError ? error.errors[0] : error;
	return {ok: false, status: null, body: reasonOf(cause).slice(0, 1000)};
}

/**
 * The first 16 KiB of a response as text, decompressed if need be. What comes after is never read: the connection is
 * dropped. A body that breaks off gives what came until then.
 */
async function responseText(body: Readable, encoding: string): Promise<string> {
	const decoder = decoders[encoding.trim().toLowerCase()]?.();
	const bytes = decoder ? pipeline(body, decoder, () => {}) : body;
	const chunks: Buffer[] = [];
	let size = 0;
	try {
		for await (const chunk of bytes) {
			chunks.push(chunk);
			size += chunk.length;
			if (size >= maxResponseBytes) {
				break;
			}
		}
	} catch {
		// The status has come: it decides, and the rest of the body is only for people to read.
	}

	// As part of a stream, so that a character cut in two at the end is left away.
	return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxResponseBytes), {stream: true});
}
