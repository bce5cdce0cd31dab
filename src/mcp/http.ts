import {randomUUID} from 'node:crypto';
import {WebStandardStreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {
	CancelledNotificationSchema,
	isInitializeRequest,
	isJSONRPCErrorResponse,
	isJSONRPCRequest,
	isJSONRPCResultResponse,
	type JSONRPCMessage,
	type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import {findInboxes} from '../client/inboxes.js';
import {apiClient, type Client} from '../client/index.js';
import {allInboxes, type McpExtra} from '../contract/constants.js';
import {AppError} from '../domain/errors.js';
import {createMcpSession, leftKey} from './session.js';
import {type SharedInboxes, VisibleInboxes} from './visible-inboxes.js';

type HttpSessionsOptions = {
	/** The base address of the daemon that these are sessions of, once it listens. */
	readonly url: () => string;
	readonly extras: readonly McpExtra[];
	/** Aborts when the daemon stops. */
	readonly ending: AbortSignal;
	readonly onBug: (error: unknown) => void;
};

/** What a client sends, and whose it is. */
type McpRequest = McpMessages & {
	readonly userId: string;
	/** What is shared with a session that begins: inboxes by id, address or name, and `all`. */
	readonly inboxes: readonly string[];
};

type Kept = {
	readonly transport: HttpTransport;
	readonly userId: string;
	readonly apiKey: string;
	readonly end: () => void;
	usedAt: number;
};

/** How many sessions there are of one user and in all, and how long one lasts that nobody uses: as long as its inboxes. */
const most = {perUser: 100, inAll: 1000, idleMs: 86_400_000};

/** Of the daemon's own answers no longer ones are read: they are parsed in its main thread. */
const maxAnswerBytes = 8 * 1024 * 1024;

/**
 * Sessions over HTTP (Streamable HTTP of the Model Context Protocol). They are in memory: they end with the daemon, and another
 * node does not know them. When there are too many, the one ends that was not used for longest, of who has most.
 */
export class HttpSessions {
	readonly #options: HttpSessionsOptions;
	/** By id, the longest unused first. */
	readonly #kept = new Map<string, Kept>();

	constructor(options: HttpSessionsOptions) {
		this.#options = options;
	}

	/** Throws `not_found` for a session that is not there, and `invalid_input` for what belongs to none. */
	async answer(request: McpRequest): Promise<Response> {
		this.#endIdle();
		const id = request.headers['mcp-session-id'];
		if (id !== undefined) {
			return this.#find(id, request.apiKey).transport.answer(request);
		}

		if (!isInitializeRequest(request.body)) {
			throw new AppError(
				'invalid_input',
				'Send "initialize" first, then send the Mcp-Session-Id header of its response with each request.',
			);
		}

		const transport = await this.#begin(request);
		return transport.answer(request);
	}

	/** Ends a session. Throws `not_found`. */
	end(id: string, apiKey: string): void {
		this.#find(id, apiKey);
		this.#end(id);
	}

	async #begin({userId, apiKey, inboxes: names}: McpRequest): Promise<HttpTransport> {
		const {url, extras, ending: stopping, onBug} = this.#options;
		const own = new AbortController();
		const client = apiClient({url: url(), apiKey}, maxAnswerBytes);
		const inboxes = new VisibleInboxes(client, await sharedBy(client, names));
		const ending = AbortSignal.any([stopping, own.signal]);
		const {server} = createMcpSession({client, inboxes, extras, ending, onBug});
		const transport = new HttpTransport({
			sessionIdGenerator: randomUUID,
			onsessioninitialized: id => {
				const end = () => {
					own.abort();
					void server.close();
				};
				this.#makeRoom(userId);
				this.#kept.set(id, {transport, userId, apiKey, end, usedAt: Date.now()});
			},
		});
		await server.connect(transport as Transport);
		return transport;
	}

	#find(id: string, apiKey: string): Kept {
		const kept = this.#kept.get(id);
		if (kept?.apiKey !== apiKey) {
			throw new AppError('not_found', 'Session not found or expired. Send "initialize" to start a new one.');
		}

		kept.usedAt = Date.now();
		this.#kept.delete(id);
		this.#kept.set(id, kept);
		return kept;
	}

	#end(id: string): void {
		this.#kept.get(id)?.end();
		this.#kept.delete(id);
	}

	#endIdle(): void {
		for (const [id, {usedAt}] of this.#kept) {
			if (Date.now() - usedAt < most.idleMs) {
				return;
			}

			this.#end(id);
		}
	}

	#makeRoom(userId: string): void {
		const counts = new Map<string, number>();
		for (const {userId: holder} of this.#kept.values()) {
			counts.set(holder, (counts.get(holder) ?? 0) + 1);
		}

		const [largest] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
		const loser =
			(counts.get(userId) ?? 0) >= most.perUser ? userId : this.#kept.size >= most.inAll ? largest : undefined;
		const oldest = [...this.#kept].find(([, kept]) => kept.userId === loser);
		if (oldest) {
			this.#end(oldest[0]);
		}
	}
}

async function sharedBy(client: Client, given: readonly string[]): Promise<SharedInboxes> {
	const names = given.filter(name => name !== allInboxes);
	const found = await Promise.all(names.map(async name => [name, await findInboxes(client.inboxes, name)] as const));
	const [wrong] = found.filter(([, {length}]) => length !== 1);
	if (wrong) {
		const [name, {length}] = wrong;
		throw length === 0
			? new AppError('not_found', `There is no inbox "${name}". Check the "inbox" parameter of the URL.`)
			: new AppError(
					'ambiguous',
					`${length} inboxes have the name "${name}". Use an address in the "inbox" parameter of the URL.`,
				);
	}

	return {named: found.flatMap(([, inboxes]) => inboxes), all: given.includes(allInboxes)};
}

/** A message of a client, or several, from whom the API key is good. */
type McpMessages = {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
	readonly apiKey: string;
	/** Aborts when the answer is over, also when the client leaves without it. */
	readonly left: AbortSignal;
};

/**
 * The SDK's transport, which ends an answer once each request that came together is answered or given up. By itself it waits for
 * those that were given up, too, which are never answered.
 */
class HttpTransport extends WebStandardStreamableHTTPServerTransport {
	/** Each request that is neither answered nor given up, with all those that came together with it. */
	readonly #underWay = new Map<RequestId, Set<RequestId>>();

	/** Throws `invalid_input` when two requests under way have the same id. */
	async answer({headers, body, apiKey, left}: McpMessages): Promise<Response> {
		this.#expect(requestIds(body), left);
		// The address is read by nobody.
		const request = new Request('http://localhost/mcp', {method: 'POST', headers});
		const authInfo = {token: apiKey, clientId: '', scopes: [], extra: {[leftKey]: left}};
		const response = await this.handleRequest(request, {parsedBody: body, authInfo});
		for (const id of cancelledIds(body)) {
			this.#finish(id);
		}

		return response;
	}

	override async send(message: JSONRPCMessage, options?: {relatedRequestId?: RequestId}): Promise<void> {
		await super.send(message, options);
		if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) {
			this.#finish(message.id);
		}
	}

	#expect(ids: readonly RequestId[], left: AbortSignal): void {
		const together = new Set(ids);
		if (together.size < ids.length || ids.some(id => this.#underWay.has(id))) {
			// The SDK would answer one of them alone.
			throw new AppError(
				'invalid_input',
				'Two concurrent requests have the same "id". Use a unique id for each request.',
			);
		}

		if (left.aborted) {
			return;
		}

		for (const id of ids) {
			this.#underWay.set(id, together);
		}

		left.addEventListener('abort', () => {
			for (const id of together) {
				this.#underWay.delete(id);
			}
		});
	}

	#finish(id: RequestId): void {
		const together = this.#underWay.get(id);
		this.#underWay.delete(id);
		together?.delete(id);
		if (together?.size === 0) {
			this.closeSSEStream(id);
		}
	}
}

/** The ids of the requests in a message of a client, or in several. */
function requestIds(body: unknown): readonly RequestId[] {
	return [body]
		.flat()
		.filter(isJSONRPCRequest)
		.map(({id}) => id);
}

/** The ids of the requests that a message of a client, or several, give up. */
function cancelledIds(body: unknown): readonly RequestId[] {
	return [body].flat().flatMap(message => CancelledNotificationSchema.safeParse(message).data?.params.requestId ?? []);
}
