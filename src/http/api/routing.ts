import type {Router, RouterContext} from '@koa/router';
import type {Context} from 'koa';
import type {z} from 'zod';
import type {ReadonlyDeep} from '../../contract/common.js';
import {checkInput, type ParsedInput} from '../../domain/input.js';
import {JsonBodies} from '../server/bodies.js';
import type {HttpConnections} from '../server/connections.js';
import {answerUnmatched} from '../server/problems.js';
import {answerList, type ListOf, type ResponseQueue} from '../server/responses.js';
import type {Services} from '../services.js';
import {callers} from './auth.js';
import {methodAndPath, type Operation, successStatus} from './operation.js';

/** Names of the parameters in a path: `inboxId` in `/inboxes/:inboxId`. */
type ParamOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
	? Name | ParamOf<Rest>
	: Path extends `${string}:${infer Name}`
		? Name
		: never;

/** Queue key of requests that belong to no user. */
export const noUserKey = 'no user';

type Routed = Operation & {readonly caller?: keyof typeof callers};

type CallerOf<Op extends Routed> = Op extends {readonly caller: infer Name extends keyof typeof callers} ? Name : 'key';

type CheckedBy<Schema> = Schema extends z.ZodType ? ParsedInput<Schema> : undefined;

/** Validated request. */
type Call<Op extends Routed> = {
	readonly ctx: Context;
	readonly params: Record<ParamOf<Op['route']>, string>;
	readonly user: Awaited<ReturnType<(typeof callers)[CallerOf<Op>]>>;
	readonly query: CheckedBy<Op['query']>;
	readonly body: CheckedBy<Op['body']>;
};

type ResponseOf<Op extends Operation> = Op extends {readonly response: infer Schema extends z.ZodType}
	? ReadonlyDeep<z.output<Schema>>
	: undefined;

/** Handler whose result is sent as JSON. Resolves to undefined if it sent the response itself. */
type Handler<Op extends Routed> = (call: Call<Op>) => Promise<ResponseOf<Op> | undefined> | Promise<void>;

type RoutingOptions = {
	readonly credentials: Services['credentials'];
	readonly connections: Pick<HttpConnections, 'belongsTo' | 'holderOf' | 'admit' | 'turn'>;
	readonly responseQueue: ResponseQueue;
};

/**
 * Creates functions that add routes. A route authenticates the caller, then validates query and body. If several paths match,
 * the path that was added first wins, whatever its methods: `/inboxes/keys` is not the inbox "keys".
 */
export function createRoutes(router: Router, {credentials, connections, responseQueue}: RoutingOptions) {
	const bodies = new JsonBodies(connections);
	const {prefix = ''} = router.opts;
	const add = <Op extends Routed>(operation: Op, handle: Handler<Op>): void => {
		const {method, path} = methodAndPath(operation);
		router.register(path, [method], async (ctx: RouterContext) => {
			if (ctx.matched?.[0]?.path !== prefix + path) {
				return answerUnmatched(ctx);
			}

			const user = await callers[operation.caller ?? 'key'](ctx, credentials);
			if (user) {
				connections.belongsTo(ctx.res, user.id);
			}

			const query = operation.query && readQuery(ctx, operation.query);
			const body = operation.body && (await readBody(ctx, bodies, operation.body));
			const result = await handle({ctx, params: ctx.params, user, query, body} as unknown as Call<Op>);
			const status = successStatus(operation);
			if (result !== undefined || status === 204) {
				ctx.status = status;
				ctx.body = result;
				setLocation(ctx, operation, result);
			}
		});
	};
	return {
		add,
		/** Adds a route that lists all rows. */
		addList: <Op extends Routed, Row, Body>(
			operation: Op,
			rowsOf: (call: Call<Op>) => Promise<readonly Row[]>,
			list: ListOf<Row, Body, ResponseOf<Op> & object>,
		): void =>
			add(operation, async call => {
				const owner = call.user?.id ?? noUserKey;
				return answerList(call.ctx, await rowsOf(call), {...list, owner, responseQueue});
			}),
	};
}

/** Sets `Location` of a created resource (RFC 9110, section 10.2.2). */
function setLocation(ctx: Context, {locationParam}: Operation, body: unknown): void {
	if (locationParam !== undefined) {
		const {id} = body as {readonly id: string};
		ctx.set('Location', `${ctx.path}/${encodeURIComponent(id)}`);
	}
}

export type Routes = ReturnType<typeof createRoutes>;

/** Reads and validates the body; no body counts as `{}`. Throws `invalid_input`. */
export async function readBody<Schema extends z.ZodType>(
	ctx: Context,
	bodies: JsonBodies,
	schema: Schema,
): Promise<ParsedInput<Schema>> {
	const body = await bodies.read(ctx);
	return checkInput(schema, body === undefined ? {} : body);
}

/** Validates the query. Throws `invalid_input`. */
export function readQuery<Schema extends z.ZodType>(ctx: Pick<Context, 'query'>, schema: Schema): ParsedInput<Schema> {
	// A repeated parameter is an array, whose items have no names.
	return checkInput(schema, ctx.query, ([name = '']) => String(name));
}
