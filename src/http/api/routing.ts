import type {Router, RouterContext} from '@koa/router';
import type {Context} from 'koa';
import type {z} from 'zod';
import type {ReadonlyDeep} from '../../contract/common.js';
import {checkInput, type ParsedInput} from '../../domain/input.js';
import {answerList, type ListOf, type ResponseQueue} from '../server/answers.js';
import {JsonBodies} from '../server/bodies.js';
import type {HttpConnections} from '../server/connections.js';
import {answerUnmatched} from '../server/problems.js';
import type {Services} from '../services.js';
import {callers} from './auth.js';
import {methodAndPath, type Operation, successStatus} from './operation.js';

/** The parameters that a path names, as `inboxId` in `/inboxes/:inboxId`. */
type ParamOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
	? Name | ParamOf<Rest>
	: Path extends `${string}:${infer Name}`
		? Name
		: never;

/** Whose turns requests take that are no user's. */
export const operator = 'operator';

type Routed = Operation & {readonly caller: keyof typeof callers};

type CheckedBy<Schema> = Schema extends z.ZodType ? ParsedInput<Schema> : undefined;

/** A request that its operation allows. */
type Call<Op extends Routed> = {
	readonly ctx: Context;
	readonly params: Record<ParamOf<Op['at']>, string>;
	readonly user: Awaited<ReturnType<(typeof callers)[Op['caller']]>>;
	readonly query: CheckedBy<Op['query']>;
	readonly body: CheckedBy<Op['body']>;
};

type AnswerOf<Op extends Operation> = Op extends {readonly answer: infer Schema extends z.ZodType}
	? ReadonlyDeep<z.output<Schema>>
	: undefined;

/** Answers with what it gives, as JSON; where it gives nothing although there is an answer, it has answered by itself. */
type Handler<Op extends Routed> = (call: Call<Op>) => Promise<AnswerOf<Op> | undefined> | Promise<void>;

type RoutingOptions = {
	readonly credentials: Services['credentials'];
	/** Are told who calls. */
	readonly connections: Pick<HttpConnections, 'belongsTo'>;
	readonly longAnswers: ResponseQueue;
};

/**
 * What adds routes. Each checks its requests by its operation: who calls, before anything else, then the query and the body. Of
 * two paths that are for the same request the one that was added first takes it, whatever its methods: `/inboxes/keys` is
 * not the inbox "keys".
 */
export function createRoutes(router: Router, {credentials, connections, longAnswers}: RoutingOptions) {
	const bodies = new JsonBodies();
	const {prefix = ''} = router.opts;
	const add = <Op extends Routed>(operation: Op, handle: Handler<Op>): void => {
		const {method, path} = methodAndPath(operation);
		router.register(path, [method], async (ctx: RouterContext) => {
			if (ctx.matched?.[0]?.path !== prefix + path) {
				return answerUnmatched(ctx);
			}

			const user = await callers[operation.caller](ctx, credentials);
			if (user) {
				connections.belongsTo(ctx.res, user.id);
			}

			const query = operation.query && readQuery(ctx, operation.query);
			const body = operation.body && (await bodyReader(ctx, user?.id ?? operator, bodies)(operation.body));
			const answer = await handle({ctx, params: ctx.params, user, query, body} as unknown as Call<Op>);
			const status = successStatus(operation);
			if (answer !== undefined || status === 204) {
				ctx.status = status;
				ctx.body = answer;
				setLocation(ctx, operation, answer);
			}
		});
	};
	return {
		add,
		/** Answers with all rows there are. */
		addList: <Op extends Routed, Row, Body>(
			operation: Op,
			rowsOf: (call: Call<Op>) => Promise<readonly Row[]>,
			list: ListOf<Row, Body, AnswerOf<Op> & object>,
		): void =>
			add(operation, async call => {
				const owner = call.user?.id ?? operator;
				return answerList(call.ctx, await rowsOf(call), {...list, owner, longAnswers});
			}),
	};
}

/** Where what was created is from now on (RFC 9110, section 10.2.2). */
function setLocation(ctx: Context, {created}: Operation, answer: unknown): void {
	if (created !== undefined) {
		const {id} = answer as {readonly id: string};
		ctx.set('Location', `${ctx.path}/${encodeURIComponent(id)}`);
	}
}

export type Routes = ReturnType<typeof createRoutes>;

/** The body, as the schema wants it; no body counts as `{}`. Throws `invalid_input` naming each wrong field. */
type ReadBody = <Schema extends z.ZodType>(schema: Schema) => Promise<ParsedInput<Schema>>;

/** Reads the body of a request when it is the owner's turn. */
export function bodyReader(ctx: Context, owner: string, bodies: JsonBodies): ReadBody {
	return async schema => {
		const body = await bodies.read(owner, ctx);
		return checkInput(schema, body === undefined ? {} : body);
	};
}

/** The query, as the schema wants it. Throws `invalid_input` naming each wrong parameter. */
export function readQuery<Schema extends z.ZodType>(ctx: Pick<Context, 'query'>, schema: Schema): ParsedInput<Schema> {
	// A parameter that is given several times is still one.
	return checkInput(schema, ctx.query, ([name = '']) => String(name));
}
