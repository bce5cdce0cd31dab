import type {ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {LongAnswers} from './long-answers.js';
import {jsonPieces} from './pieces.js';

/** An answer of so few pieces is sent as a whole, which costs less than turns. */
const maxWholePieces = 8;

export type JsonAnswer = {
	/** Whose turns it takes when it is large. */
	readonly owner: string;
	readonly longAnswers: LongAnswers;
	/** Makes the data, the same each time: a large answer that nobody reads holds none of it. */
	readonly make: () => object;
};

/** What a route gives that answers with JSON which mail and receivers can make large: nothing when it was sent in turns. */
export async function answerJson(ctx: Context, {owner, longAnswers, make}: JsonAnswer): Promise<object | undefined> {
	const data = make();
	if (jsonPieces(data).length <= maxWholePieces) {
		return data;
	}

	ctx.respond = false;
	beginJson(ctx.res);
	await longAnswers.send(owner, ctx.res, [async () => jsonPieces(make())]);
	return undefined;
}

/** Begins an answer that is not Koa's to send. */
export function beginJson(response: ServerResponse): void {
	response.statusCode = 200;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
}
