import {type Duplex, Readable} from 'node:stream';
import type {ReadableStream} from 'node:stream/web';
import type {Context, Next} from 'koa';
import {z} from 'zod';
import type {McpExtra} from '../../contract/constants.js';
import type {Log} from '../../lib/log.js';
import {userByKeyOrBearer} from '../api/auth.js';
import {readQuery} from '../api/routing.js';
import {JsonBodies} from '../server/bodies.js';
import {clientClosed, type HttpConnections} from '../server/connections.js';
import {userHolder} from '../server/holders.js';
import {assertMethod} from '../server/problems.js';
import type {Services} from '../services.js';

export type McpOptions = {
	/** Permissions of agents besides reading mail of their inboxes. */
	readonly extras: readonly McpExtra[];
	/** Base URL of this API, known once it listens. */
	readonly url: () => string;
	/** Opens a connection to this API inside the process. Tools of agents call it like every client. */
	readonly connect: () => Duplex;
	/** Aborts when the server stops. */
	readonly ending: AbortSignal;
};

type McpDeps = McpOptions &
	Pick<Services, 'admission' | 'credentials'> & {
		readonly quotas: Pick<Services['quotas'], 'streams'>;
		readonly connections: Pick<HttpConnections, 'belongsTo' | 'holdForNews' | 'holderOf' | 'admit' | 'turn'>;
		readonly log: Log;
	};

const methods = ['POST', 'DELETE'];

/** Query of an MCP session: inboxes to share with it, by id, address or name; `all` grants read access to all. */
const openMcp = z.strictObject({
	inbox: z
		.union([z.string(), z.array(z.string())])
		.transform(names => [names].flat())
		.refine(names => names.length <= 10, 'must be given at most 10 times')
		.optional(),
});

/** Serves MCP clients at `/mcp` (Streamable HTTP). The implementation is loaded at the first request. */
export function answerMcp({admission, credentials, quotas, connections, log, ...options}: McpDeps) {
	const bodies = new JsonBodies(connections);
	const load = async () => {
		const {HttpSessions} = await import('../../mcp/http.js');
		const onBug = (error: unknown) => log.error({err: error}, 'MCP call failed unexpectedly');
		return new HttpSessions({...options, onBug, turn: async userId => admission.turn(userHolder(userId))});
	};
	let loading: ReturnType<typeof load> | undefined;
	return async (ctx: Context, next: Next): Promise<void> => {
		if (ctx.path !== '/mcp') {
			return next();
		}

		assertMethod(ctx, methods, 'MCP clients send messages with POST and end a session with DELETE.');
		const {user, key} = await userByKeyOrBearer(ctx, credentials);
		connections.belongsTo(ctx.res, user.id);
		const {inbox: inboxes = []} = readQuery(ctx, openMcp);
		loading ??= load().catch(error => {
			loading = undefined;
			throw error;
		});
		const sessions = await loading;
		if (ctx.method === 'DELETE') {
			sessions.end(ctx.get('Mcp-Session-Id'), key);
			ctx.status = 204;
			return;
		}

		const body = await bodies.read(ctx);
		if (connections.holdForNews(ctx.res, quotas.streams, user.id)) {
			const request = {
				headers: headersOf(ctx),
				body,
				userId: user.id,
				apiKey: key,
				inboxes,
				clientClosed: clientClosed(ctx.res),
			};
			give(ctx, await sessions.answer(request));
		}
	};
}

/** Headers that the protocol reads. */
function headersOf(ctx: Context): Readonly<Record<string, string>> {
	const names = ['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version'];
	return Object.fromEntries(names.map(name => [name, ctx.get(name)]).filter(([, value]) => value !== ''));
}

function give(ctx: Context, {status, headers, body}: Response): void {
	for (const name of ['content-type', 'mcp-session-id', 'x-accel-buffering']) {
		const value = headers.get(name);
		if (value !== null) {
			ctx.set(name, value);
		}
	}

	ctx.body = body && Readable.fromWeb(body as ReadableStream);
	ctx.status = status;
	if (body) {
		// Without early headers, a client could not distinguish an open wait from a dead daemon.
		ctx.flushHeaders();
	}
}
