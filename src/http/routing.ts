import type {Router} from '@koa/router';
import type {Context} from 'koa';
import type {HttpConnections} from './connections.js';
import {bodyReader, type ReadBody} from './input.js';
import {JsonBodies} from './json.js';
import {answerList, type ListOf} from './json-answer.js';
import type {LongAnswers} from './long-answers.js';

/** The parameters that a path names, as `inboxId` in `/inboxes/:inboxId`. */
type ParamOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
	? Name | ParamOf<Rest>
	: Path extends `${string}:${infer Name}`
		? Name
		: never;

/** Whose turns requests take that are no user's. */
export const operator = 'operator';

type Call<Param extends string, User> = {
	readonly ctx: Context;
	readonly params: Record<Param, string>;
	readonly user: User;
	readonly readBody: ReadBody;
};

/** Answers with what it gives, as JSON; when it gives nothing, it has answered by itself. */
type Handler<Param extends string, User> = (call: Call<Param, User>) => Promise<unknown>;

/**
 * What adds routes that are for the callers whom `identify` finds, who is asked before anything else. `create` answers 201,
 * `list` with all rows there are. The connections are told who calls.
 */
export function createRoutesFor(
	router: Router,
	connections: Pick<HttpConnections, 'belongsTo'>,
	longAnswers: LongAnswers,
) {
	const bodies = new JsonBodies();
	return <User extends {readonly id: string} | undefined>(identify: (ctx: Context) => Promise<User>) => {
		const adder = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', status: number) => {
			return <Path extends string>(path: Path, handle: Handler<ParamOf<Path>, User>): void => {
				router[method](path, async ctx => {
					const user = await identify(ctx);
					if (user) {
						connections.belongsTo(ctx.res, user.id);
					}

					const readBody = bodyReader(ctx, user?.id ?? operator, bodies);
					const body = await handle({ctx, params: ctx.params, user, readBody});
					if (body !== undefined) {
						ctx.status = status;
						ctx.body = body;
					}
				});
			};
		};
		const get = adder('get', 200);
		return {
			get,
			list: <Row, Body>(
				path: string,
				rowsOf: (call: Call<never, User>) => Promise<readonly Row[]>,
				list: ListOf<Row, Body>,
			): void =>
				get(path, async call => {
					const rows = await rowsOf(call);
					return answerList(call.ctx, rows, {...list, owner: call.user?.id ?? operator, longAnswers});
				}),
			create: adder('post', 201),
			post: adder('post', 200),
			put: adder('put', 200),
			patch: adder('patch', 200),
			delete: adder('delete', 200),
		};
	};
}

/** For the callers whom it is told how to identify. */
export type RoutesFor = ReturnType<typeof createRoutesFor>;
