import {randomUUID} from 'node:crypto';
import type {Duplex} from 'node:stream';
import {WebStandardStreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {
	CancelledNotificationSchema,
	ErrorCode,
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
import {clientClosedKey, createMcpSession} from './session.js';
import {type SharedInboxes, VisibleInboxes} from './visible-inboxes.js';

type HttpSessionsOptions = {
	/** Base URL of the daemon, available once it listens. */
	readonly url: () => string;
	/** Opens a connection to the API inside this process. */
	readonly connect: () => Duplex;
	/** Resolves when the user has its turn for a step. */
	readonly turn: (userId: string) => Promise<void>;
	readonly extras: readonly McpExtra[];
	/** Aborts when the daemon stops. */
	readonly ending: AbortSignal;
	readonly onBug: (error: unknown) => void;
};

/** Request of a client with its user. */
type McpRequest = McpMessages & {
	readonly userId: string;
	/** Inboxes that a new session may use: ids, addresses or names, and `all`. */
	readonly inboxes: readonly string[];
};

type OpenSession = {
	readonly transport: HttpTransport;
	readonly userId: string;
	readonly apiKey: string;
	readonly end: () => void;
	usedAt: number;
};

/** Maximum number of sessions, and time until an unused one ends: the default lifetime of its inboxes. */
const limits = {perUser: 100, total: 1000, idleMs: 86_400_000};

/** Maximum number of messages in a batch. */
const maxBatch = 10;

/** JSON-RPC error for a larger batch, which has no id (JSON-RPC 2.0, section 5). */
const batchTooLarge = {
	jsonrpc: '2.0',
	error: {
		code: ErrorCode.InvalidRequest,
		message: `A batch can have at most ${maxBatch} messages. Send several batches.`,
	},
	id: null,
};

/** Maximum size of an API response that is read: it is parsed in the main thread of the daemon. */
const maxResponseBytes = 8 * 1024 * 1024;

/**
 * Sessions over the Streamable HTTP transport of the Model Context Protocol. They are kept in memory of this node. Above the
 * maximum, the least recently used session of the user with the most sessions ends.
 */
export class HttpSessions {
	readonly #options: HttpSessionsOptions;
	/** Sessions by id, least recently used first. */
	readonly #sessions = new Map<string, OpenSession>();

	constructor(options: HttpSessionsOptions) {
		this.#options = options;
	}

	/**
	 * Answers a request, with a JSON-RPC error if its batch is too large. Throws `not_found` for an unknown session, and `invalid_input`
	 * without one.
	 */
	async answer(request: McpRequest): Promise<Response> {
		if (Array.isArray(request.body) && request.body.length > maxBatch) {
			return Response.json(batchTooLarge, {status: 400});
		}

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
		const {url, connect, turn, extras, ending: stopping, onBug} = this.#options;
		const closed = new AbortController();
		const client = apiClient({url: url(), apiKey, connect}, maxResponseBytes);
		const inboxes = new VisibleInboxes(client, await findSharedInboxes(client, names));
		const ending = AbortSignal.any([stopping, closed.signal]);
		const {server} = createMcpSession({client, inboxes, extras, ending, onBug, turn: async () => turn(userId)});
		const transport = new HttpTransport({
			sessionIdGenerator: randomUUID,
			onsessioninitialized: id => {
				const end = () => {
					closed.abort();
					void server.close();
				};
				this.#makeRoom(userId);
				this.#sessions.set(id, {transport, userId, apiKey, end, usedAt: Date.now()});
			},
		});
		await server.connect(transport as Transport);
		return transport;
	}

	#find(id: string, apiKey: string): OpenSession {
		const session = this.#sessions.get(id);
		if (session?.apiKey !== apiKey) {
			throw new AppError('not_found', 'Session not found or expired. Send "initialize" to start a new one.');
		}

		session.usedAt = Date.now();
		this.#sessions.delete(id);
		this.#sessions.set(id, session);
		return session;
	}

	#end(id: string): void {
		this.#sessions.get(id)?.end();
		this.#sessions.delete(id);
	}

	#endIdle(): void {
		for (const [id, {usedAt}] of this.#sessions) {
			if (Date.now() - usedAt < limits.idleMs) {
				return;
			}

			this.#end(id);
		}
	}

	#makeRoom(userId: string): void {
		const counts = new Map<string, number>();
		for (const {userId: holder} of this.#sessions.values()) {
			counts.set(holder, (counts.get(holder) ?? 0) + 1);
		}

		const [largest] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
		const evictedUser =
			(counts.get(userId) ?? 0) >= limits.perUser ? userId : this.#sessions.size >= limits.total ? largest : undefined;
		const oldest = [...this.#sessions].find(([, session]) => session.userId === evictedUser);
		if (oldest) {
			this.#end(oldest[0]);
		}
	}
}

async function findSharedInboxes(client: Client, given: readonly string[]): Promise<SharedInboxes> {
	const names = given.filter(name => name !== allInboxes);
	const found = await Promise.all(names.map(async name => findInboxes(client.inboxes, name)));
	for (const [index, {length}] of found.entries()) {
		const name = `"${names[index]}"`;
		if (length === 0) {
			throw new AppError('not_found', `There is no inbox ${name}. Check the "inbox" parameter of the URL.`);
		}

		if (length > 1) {
			const problem = `${length} inboxes have the name ${name}. Use an address in the "inbox" parameter of the URL.`;
			throw new AppError('ambiguous', problem);
		}
	}

	return {named: found.flat(), all: given.includes(allInboxes)};
}

/** One message of a client or a batch of them, with a valid API key. */
type McpMessages = {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
	readonly apiKey: string;
	/** Aborts when the response is finished or the client disconnects. */
	readonly clientClosed: AbortSignal;
};

/**
 * Transport of the SDK that ends a response once each request of its batch is answered or cancelled. The SDK itself waits for
 * cancelled requests, too, which are never answered.
 */
class HttpTransport extends WebStandardStreamableHTTPServerTransport {
	/** Pending requests by id, each with the pending requests of its batch. */
	readonly #pending = new Map<RequestId, Set<RequestId>>();

	/** Answers the messages. Throws `invalid_input` if two pending requests have the same id. */
	async answer({headers, body, apiKey, clientClosed}: McpMessages): Promise<Response> {
		this.#expect(requestIds(body), clientClosed);
		// The URL is not used.
		const request = new Request('http://localhost/mcp', {method: 'POST', headers});
		const authInfo = {token: apiKey, clientId: '', scopes: [], extra: {[clientClosedKey]: clientClosed}};
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

	#expect(ids: readonly RequestId[], clientClosed: AbortSignal): void {
		const batch = new Set(ids);
		if (batch.size < ids.length || ids.some(id => this.#pending.has(id))) {
			// The SDK would answer only one of them.
			throw new AppError(
				'invalid_input',
				'Two concurrent requests have the same "id". Use a unique id for each request.',
			);
		}

		if (clientClosed.aborted) {
			return;
		}

		for (const id of ids) {
			this.#pending.set(id, batch);
		}

		clientClosed.addEventListener('abort', () => {
			for (const id of batch) {
				this.#pending.delete(id);
			}
		});
	}

	#finish(id: RequestId): void {
		const batch = this.#pending.get(id);
		this.#pending.delete(id);
		batch?.delete(id);
		if (batch?.size === 0) {
			this.closeSSEStream(id);
		}
	}
}

/** Ids of the requests in a message or a batch. */
function requestIds(body: unknown): readonly RequestId[] {
	return [body]
		.flat()
		.filter(isJSONRPCRequest)
		.map(({id}) => id);
}

/** Ids of the requests that a message or a batch cancels. */
function cancelledIds(body: unknown): readonly RequestId[] {
	return [body].flat().flatMap(message => CancelledNotificationSchema.safeParse(message).data?.params.requestId ?? []);
}
