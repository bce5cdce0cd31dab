import {resolveNs} from 'node:dns/promises';
import http, {type ClientRequest, type IncomingMessage} from 'node:http';
import https from 'node:https';
import {connect as connectTcp, type LookupFunction, Socket} from 'node:net';
import {type Duplex, pipeline, Readable} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';
import {maxPerEndpoint, type SendWebhook} from '../domain/webhooks/delivery.js';
import {exemption, type FindHost, literalAddress, type TargetPolicy} from '../domain/webhooks/target.js';
import {causeOf, errorCode} from '../lib/errors.js';
import {type HostQuery, HostResolver} from '../lib/io/resolver.js';
import {paceReading} from '../lib/io/sockets.js';
import {TurnBudget} from '../lib/queue/event-loop.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import {version} from '../lib/version.js';
import {LimitedStream} from './limited-stream.js';

/** Bytes read from all receivers in one turn of the event loop. */
const maxBytesPerTurn = 16 * 1024;

/** Bytes parsed at once. */
const pieceLength = 2048;

/** The target policy forbids the address. */
class ForbiddenTarget extends Error {
	constructor(host: string, address: string) {
		super(
			`Webhooks must not be sent to ${host === address ? host : `${host}, which is ${address}`}${exemption(address)}.`,
		);
	}
}

/**
 * Agents by URL protocol. They keep at most `maxIdle` connections for `idleMs`, whatever the receiver proposes, and read in
 * turns.
 */
function createAgents(maxIdle: number, idleMs: number): ReadonlyMap<string, http.Agent> {
	const options = {keepAlive: true, timeout: idleMs, maxFreeSockets: maxPerEndpoint};
	const pace = new TurnBudget(maxBytesPerTurn);
	const agents = [new http.Agent(options), new https.Agent(options)] as const;
	const idle = () => agents.flatMap(({freeSockets}) => Object.values(freeSockets).flat()).length;
	for (const agent of agents) {
		paceSockets(agent, pace);
		const keep = agent.keepSocketAlive.bind(agent);
		agent.keepSocketAlive = socket => idle() < maxIdle && Boolean(keep(socket));
	}

	return new Map([
		['http:', agents[0]],
		['https:', agents[1]],
	]);
}

function paceSockets(agent: http.Agent, pace: TurnBudget): void {
	const connect = agent.createConnection.bind(agent);
	agent.createConnection = (options, callback) => {
		if (agent instanceof https.Agent) {
			return connectTls(connect, options, pace);
		}

		const socket = connect(options, callback);
		if (socket instanceof Socket) {
			paceReading(socket, pace, pieceLength);
		}

		return socket;
	};
}

/** Connections below TLS. */
const streamsBelow = new WeakMap<Duplex, LimitedStream>();

function connectTls(
	connect: http.Agent['createConnection'],
	options: http.ClientRequestArgs,
	pace: TurnBudget,
): Duplex | null | undefined {
	const {host, port, lookup} = options;
	const stream = new LimitedStream(connectTcp({host: host ?? '', port: Number(port), ...(lookup && {lookup})}), {
		pace,
		pieceLength,
	});
	const socket = connect({...options, socket: stream} as http.ClientRequestArgs);
	if (socket) {
		stream.once('error', error => socket.destroy(error));
		streamsBelow.set(socket, stream);
	}

	return socket;
}

/**
 * Lookup for `net.connect` that rejects a name if the policy forbids any of its addresses. The connection uses only checked
 * addresses, which prevents DNS rebinding.
 */
function createLookup(
	names: HostResolver,
	allows: TargetPolicy,
	asker: Pick<HostQuery, 'userId' | 'signal'>,
): LookupFunction {
	const find = async (hostname: string, family: number) => {
		const addresses = await names.find({...asker, hostname, family});
		const forbidden = addresses.find(({address}) => !allows(address));
		if (forbidden) {
			throw new ForbiddenTarget(hostname, forbidden.address);
		}

		return addresses;
	};
	return (hostname, {all, family}, callback) => {
		find(hostname, Number(family ?? 0)).then(
			addresses =>
				all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? '', addresses[0]?.family),
			error => callback(error, []),
		);
	};
}

/** Bytes of a response body that are kept. */
export const maxResponseBytes = 16 * 1024;

/**
 * Total bytes accepted in an attempt: headers, informational responses, chunk extensions, compressed data without output.
 * More than any response needs of which 16 KiB are read.
 */
const maxReceivedBytes = 128 * 1024;

/** Maximum number of informational responses such as `103 Early Hints`; valid receivers send one or two. */
const maxInformational = 16;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
};

type WebhookSender = {
	readonly send: SendWebhook;
	/** Closes all connections. */
	close(): Promise<void>;
};

export type WebhookSenderOptions = {
	readonly allows: TargetPolicy;
	/** Timeout for a whole attempt: name lookup, connection, TLS, headers and body. */
	readonly timeoutMs?: number;
	/** Maximum number of idle connections. */
	readonly maxIdle?: number;
	/** Time for which an idle connection is kept. */
	readonly idleMs?: number;
	readonly names?: HostResolver;
};

/**
 * Creates a sender that makes webhook attempts with keep-alive and does not follow redirects. It uses `node:http`: undici
 * 7.30.2 throws an uncatchable assertion if a connection ends while its compressed body waits.
 */
export function createWebhookSender({
	allows,
	timeoutMs = 15_000,
	maxIdle = 256,
	idleMs = 4000,
	names = new HostResolver(),
}: WebhookSenderOptions): WebhookSender {
	const agents = createAgents(maxIdle, idleMs);

	const send: SendWebhook = async ({userId, url, headers, body, signal: interrupted}) => {
		const attempt = new AbortController();
		const {signal} = attempt;
		const interrupt = () => attempt.abort(new Error('The attempt was interrupted.'));
		const timer = setTimeout(() => attempt.abort(new Error(`No response within ${timeoutMs / 1000} s.`)), timeoutMs);
		interrupted?.addEventListener('abort', interrupt, {once: true});
		try {
			interrupted?.throwIfAborted();
			assertAllowed(url, allows);
			const {protocol} = new URL(url);
			const request = (protocol === 'https:' ? https : http).request(url, {
				agent: agents.get(protocol),
				lookup: createLookup(names, allows, {userId, signal}),
				method: 'POST',
				headers: {'Content-Type': 'application/json', 'User-Agent': `tinbox/${version}`, ...headers},
				signal,
			});
			const response = await answerTo(request, body, signal);
			const status = response.statusCode ?? 0;
			return {ok: status >= 200 && status < 300, status, body: await responseText(response, userId)};
		} catch (error) {
			return {ok: false, status: null, body: causeOf(signal.aborted ? signal.reason : error).slice(0, 1000)};
		} finally {
			clearTimeout(timer);
			interrupted?.removeEventListener('abort', interrupt);
		}
	};

	return {
		send,
		async close() {
			for (const agent of agents.values()) {
				agent.destroy();
			}
		},
	};
}

/** An address literal skips the lookup and is checked here. */
function assertAllowed(url: string, allows: TargetPolicy): void {
	const address = literalAddress(url);
	if (address !== undefined && !allows(address)) {
		throw new ForbiddenTarget(address, address);
	}
}

/** Sends the request and resolves to the response headers. Aborts if the receiver sends too much. */
async function answerTo(request: ClientRequest, body: string, signal: AbortSignal): Promise<IncomingMessage> {
	request.once('socket', socket => {
		let left = maxReceivedBytes;
		const tooLong = () => new Error(`The response exceeded ${maxReceivedBytes / 1024} KiB.`);
		streamsBelow.get(socket)?.limit(maxReceivedBytes, tooLong);
		const count = (bytes: Buffer) => {
			left -= bytes.length;
			if (left < 0) {
				request.destroy(tooLong());
			}
		};
		socket.on('data', count);
		request.once('close', () => socket.off('data', count));
	});
	let informational = 0;
	request.on('information', () => {
		if (++informational > maxInformational) {
			request.destroy(new Error(`The receiver sent more than ${maxInformational} informational responses.`));
		}
	});
	return new Promise((resolve, reject) => {
		request.once('response', resolve);
		request.once('upgrade', (_response, socket) => {
			socket.destroy();
			reject(new Error('The receiver switched to another protocol.'));
		});
		// Permanent: after the response, the end of its body can still be an error of the request.
		request.on('error', reject);
		signal.addEventListener('abort', () => reject(signal.reason), {once: true});
		request.end(body);
	});
}

/** Bytes read of a compressed body. Data that cannot be compressed gets slightly longer. */
const maxCompressedBytes = maxResponseBytes + 1024;

/** Concurrent decompressions, because each can take 16 MiB of memory for a few bytes. Users take turns. */
const decompressions = new FairQueue(4);

/**
 * First 16 KiB of a response as text, decompressed. The rest is not read, and the connection is closed. An incomplete body
 * returns the received part.
 */
async function responseText(response: IncomingMessage, userId: string): Promise<string> {
	const encoding = response.headers['content-encoding'] ?? '';
	const createDecoder = decoders[encoding.trim().toLowerCase()];
	if (!createDecoder) {
		return textOf(await beginningOf(response, maxResponseBytes));
	}

	const compressed = await beginningOf(response, maxCompressedBytes);
	return decompressions.run(userId, async () => {
		const decoded = pipeline(Readable.from([compressed]), createDecoder(), () => {});
		return textOf(await beginningOf(decoded, maxResponseBytes));
	});
}

/** Reads bytes up to a length, or until the stream fails: the status decides, and the body is only for people. */
async function beginningOf(stream: NodeJS.ReadableStream, length: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	try {
		for await (const chunk of stream) {
			chunks.push(Buffer.from(chunk));
			size += chunk.length;
			if (size >= length) {
				break;
			}
		}
	} catch {
		// The part before the failure is returned.
	}

	return Buffer.concat(chunks).subarray(0, length);
}

function textOf(bytes: Buffer): string {
	// `stream` drops a character that was cut in two.
	return new TextDecoder().decode(bytes, {stream: true});
}

/** Timeout of the host lookup when an endpoint is created or its URL is changed, in milliseconds. */
const lookupTimeoutMs = 3000;

/** Creates a lookup of host names with the resolver of the system, including the hosts file. */
export function createFindHost(names: HostResolver): FindHost {
	return async (hostname, userId) =>
		Promise.race([find(names, hostname, userId), delay(lookupTimeoutMs, 'unknown' as const, {ref: false})]);
}

async function find(names: HostResolver, hostname: string, userId: string): ReturnType<FindHost> {
	try {
		const found = await names.find({hostname, userId, signal: AbortSignal.timeout(lookupTimeoutMs)});
		return found.map(({address}) => address);
	} catch (error) {
		const isAbsent = errorCode(error) === 'ENOTFOUND';
		return isAbsent && (await knowsRoot()) ? [] : 'unknown';
	}
}

/** True if the resolver reaches the root name servers. In a sandbox it does not, and "no such name" means nothing. */
async function knowsRoot(): Promise<boolean> {
	return resolveNs('.').then(
		() => true,
		() => false,
	);
}
