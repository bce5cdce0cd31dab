import type {ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {AnswerPart, LongAnswers} from './long-answers.js';
import {jsonPieces} from './pieces.js';

/** An answer of so few pieces is sent as a whole, which costs less than turns. */
const maxWholePieces = 8;

export type JsonAnswer<Data extends object> = {
	/** Whose turns it takes when it is large. */
	readonly owner: string;
	readonly longAnswers: LongAnswers;
	/** Makes the data, the same each time: a large answer that nobody reads holds none of it. */
	readonly make: () => Data;
};

/** What a route gives that answers with JSON which mail and receivers can make large: nothing when it was sent in turns. */
export async function answerJson<Data extends object>(
	ctx: Context,
	{owner, longAnswers, make}: JsonAnswer<Data>,
): Promise<Data | undefined> {
	const data = make();
	if (jsonPieces(data).length <= maxWholePieces) {
		return data;
	}

	ctx.respond = false;
	beginJson(ctx.res);
	await longAnswers.send(owner, ctx.res, [async () => jsonPieces(make())]);
	return undefined;
}

/** A list of so much is sent as a whole, which costs less than turns. */
const maxWholeWeight = 64;

/** What a list says of its rows. */
export type ListOf<Row, Body, Whole extends object = object> = {
	/** Undefined when the row is gone by now. */
	readonly bodyOf: (row: Row) => Promise<Body | undefined>;
	/** About how many rows of the usual length a row comes to; 1 unless given. */
	readonly weightOf?: (row: Row) => number;
	/** The answer that these bodies make. */
	readonly wrap: (bodies: readonly Body[]) => Whole;
};

type ListAnswer<Row, Body, Whole extends object> = ListOf<Row, Body, Whole> & Omit<JsonAnswer<Whole>, 'make'>;

/** What a route gives that answers with all there is, row by row: nothing when it was sent in turns. */
export async function answerList<Row, Body, Whole extends object>(
	ctx: Context,
	rows: readonly Row[],
	{owner, longAnswers, bodyOf, weightOf = () => 1, wrap}: ListAnswer<Row, Body, Whole>,
): Promise<Whole | undefined> {
	if (rows.reduce((sum, row) => sum + weightOf(row), 0) <= maxWholeWeight) {
		return wrap((await Promise.all(rows.map(bodyOf))).filter(body => body !== undefined));
	}

	const [before, after] = JSON.stringify(wrap([])).split(/(?<=\[)(?=\])/);
	ctx.respond = false;
	beginJson(ctx.res);
	await longAnswers.send(owner, ctx.res, listParts(rows, bodyOf, {before, after}));
	return undefined;
}

/** The parts of a list, so that one row at a time is in memory. Rows without a body are left out. */
export function* listParts<Row>(
	rows: readonly Row[],
	bodyOf: (row: Row) => Promise<unknown>,
	{before = '[', after = ']'} = {},
): Generator<AnswerPart> {
	let first: Row | undefined;
	yield async () => [() => before];
	for (const row of rows) {
		yield async () => {
			const body = await bodyOf(row);
			if (body === undefined) {
				return undefined;
			}

			first ??= row;
			return [() => (first === row ? '' : ','), ...jsonPieces(body)];
		};
	}

	yield async () => [() => after];
}

/** Begins an answer that is not Koa's to send. */
export function beginJson(response: ServerResponse): void {
	response.statusCode = 200;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
}
