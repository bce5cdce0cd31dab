import type {Context} from 'koa';
import type {z} from 'zod';
import {checkInput, type Given} from '../domain/input.js';
import type {JsonBodies} from './json.js';

/** The body, as the schema wants it; no body counts as `{}`. Throws `invalid_input` naming each wrong field. */
export type ReadBody = <Schema extends z.ZodType>(schema: Schema) => Promise<Given<Schema>>;

/** Reads the body of a request when it is the owner's turn. */
export function bodyReader(ctx: Context, owner: string, bodies: JsonBodies): ReadBody {
	return async schema => {
		const body = await bodies.read(owner, ctx);
		return checkInput(schema, body === undefined ? {} : body);
	};
}

/** The query, as the schema wants it. Throws `invalid_input` naming each wrong parameter. */
export function readQuery<Schema extends z.ZodType>(ctx: Pick<Context, 'query'>, schema: Schema): Given<Schema> {
	// A parameter that is given several times is still one.
	return checkInput(schema, ctx.query, ([name = '']) => String(name));
}
