import {resolveNs} from 'node:dns/promises';
import http, {type ClientRequest, type IncomingMessage} from 'node:http';
import https from 'node:https';
import {type LookupFunction, Socket} from 'node:net';
import {pipeline, type Readable} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';
import type {Attempt, SendWebhook} from '../domain/webhooks/delivery.js';
import {exemption, type FindHost, literalAddress, type TargetPolicy} from '../domain/webhooks/target.js';
import {causeOf, errorCode} from '../lib/errors.js';
import {Names, type Question} from '../lib/io/resolver.js';
import {paceReading} from '../lib/io/sockets.js';
import {TurnBudget} from '../lib/queue/event-loop.js';
import {version} from '../lib/version.js';

/** Receivers to which connections are kept; as many to each as it has attempts at a time. */
const maxIdleReceivers = 128;

/** What all receivers together may have read in one turn of the event loop. */
const maxBytesPerTurn = 16 * 1024;

/** Bytes that are parsed at a time. */
const pieceLength = 2048;

/** The refusal to connect to an address that the policy forbids. */
class ForbiddenTarget extends Error {
	constructor(host: string, address: string) {
		super(
			`Webhooks must not be sent to ${host === address ? host : `${host}, which is ${address}`}${exemption(address)}.`,
		);
	}
}

/**
 * Connections by the protocol of a URL. They are kept open for `idleMs`, whatever the receiver proposes, and not to many
 * receivers. What comes on them holds nobody up.
 */
function createAgents(idleMs: number): ReadonlyMap<string, http.Agent> {
	const options = {keepAlive: true, timeout: idleMs, maxFreeSockets: 4};
	const pace = new TurnBudget(maxBytesPerTurn);
	return new Map([
		['http:', keepFew(keepPace(new http.Agent(options), pace))],
		['https:', keepFew(keepPace(new https.Agent(options), pace))],
	]);
}

function keepPace(agent: http.Agent, pace: TurnBudget): http.Agent {
	const connect = agent.createConnection.bind(agent);
	agent.createConnection = (options, callback) => {
		const socket = connect(options, callback);
		if (socket instanceof Socket) {
			paceReading(socket, pace, pieceLength);
		}

		return socket;
	};
	return agent;
}

function keepFew(agent: http.Agent): http.Agent {
	const keep = agent.keepSocketAlive.bind(agent);
	agent.keepSocketAlive = socket => Object.keys(agent.freeSockets).length < maxIdleReceivers && Boolean(keep(socket));
	return agent;
}

/**
 * A lookup for `net.connect` that hands on a name's addresses only when the policy allows every one of them. The
 * connection is then made to just these, so a name cannot be pointed elsewhere in between (DNS rebinding).
 */
function createLookup(names: Names, allows: TargetPolicy, asker: Pick<Question, 'userId' | 'signal'>): LookupFunction {
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

/** Bytes of a response that are kept. */
export const maxResponseBytes = 16 * 1024;

/**
 * Bytes that a receiver may send in an attempt, whatever they are: headers, informational responses, chunk extensions,
 * a compressed body from which nothing comes. More than any answer takes of which 16 KiB are read.
 */
const maxReceivedBytes = 128 * 1024;

/** Responses before the answer, such as `103 Early Hints`: honest receivers send one or two. */
const maxInformational = 16;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
};

type WebhookSender = {
	readonly send: SendWebhook;
	/** Drops all connections. */
	close(): Promise<void>;
};

export type WebhookSenderOptions = {
	readonly allows: TargetPolicy;
	/** For an attempt as a whole: name lookup, connection, TLS, headers and body. */
	readonly timeoutMs?: number;
	/** How long a connection is kept for the next attempt. */
	readonly idleMs?: number;
	readonly names?: Names;
};

/** Makes webhook attempts over connections that are kept open for the next one. Redirects are not followed. */
export function createWebhookSender({
	allows,
	timeoutMs = 15_000,
	idleMs = 4000,
	names = new Names(),
}: WebhookSenderOptions): WebhookSender {
	const agents = createAgents(idleMs);

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
			return {ok: status >= 200 && status < 300, status, body: await responseText(response)};
		} catch (error) {
			return unanswered(signal.aborted ? signal.reason : error);
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

/** A literal address never reaches the lookup, so it is checked here. */
function assertAllowed(url: string, allows: TargetPolicy): void {
	const address = literalAddress(url);
	if (address !== undefined && !allows(address)) {
		throw new ForbiddenTarget(address, address);
	}
}

/** Sends the request, ends it when too much comes back, and resolves to the head of the answer. */
async function answerTo(request: ClientRequest, body: string, signal: AbortSignal): Promise<IncomingMessage> {
	request.once('socket', socket => {
		let left = maxReceivedBytes;
		const count = (bytes: Buffer) => {
			left -= bytes.length;
			if (left < 0) {
				request.destroy(new Error(`The response exceeded ${maxReceivedBytes / 1024} KiB.`));
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
		// For good: once there is an answer, the end of its body may be an error of the request, too.
		request.on('error', reject);
		signal.addEventListener('abort', () => reject(signal.reason), {once: true});
		request.end(body);
	});
}

function unanswered(error: unknown): Attempt {
	return {ok: false, status: null, body: causeOf(error).slice(0, 1000)};
}

/**
 * The first 16 KiB of a response as text, decompressed if need be. What comes after is never read: the connection is
 * dropped. A body that breaks off gives what came until then.
 */
async function responseText(response: IncomingMessage): Promise<string> {
	const encoding = response.headers['content-encoding'] ?? '';
	const decoder = decoders[encoding.trim().toLowerCase()]?.();
	const bytes = decoder ? pipeline(response, decoder, () => {}) : response;
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

/** How long whoever registers a receiver is kept waiting for the resolver. */
const patienceMs = 3000;

/** Asks the resolver of the system, hosts file included. */
export function createFindHost(names: Names): FindHost {
	return async (hostname, userId) =>
		Promise.race([find(names, hostname, userId), delay(patienceMs, 'unknown' as const, {ref: false})]);
}

async function find(names: Names, hostname: string, userId: string): ReturnType<FindHost> {
	try {
		const found = await names.find({hostname, userId, signal: AbortSignal.timeout(patienceMs)});
		return found.map(({address}) => address);
	} catch (error) {
		const isAbsent = errorCode(error) === 'ENOTFOUND';
		return isAbsent && (await knowsRoot()) ? [] : 'unknown';
	}
}

/** Whether the resolver reaches the root of all names. In a sandbox it does not, and its "no such name" says nothing. */
async function knowsRoot(): Promise<boolean> {
	return resolveNs('.').then(
		() => true,
		() => false,
	);
}
