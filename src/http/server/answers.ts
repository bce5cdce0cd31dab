import type {ServerResponse} from 'node:http';
import {setImmediate} from 'node:timers/promises';
import type {Context} from 'koa';
import {FairQueue} from '../../lib/queue/fair-queue.js';

/**
 * A part of an answer, made for the turn in which it is sent. Nothing of it is kept between turns: it must come out the same
 * when it is made again. Undefined when there is nothing of it.
 */
export type ResponsePart = () => Promise<readonly Chunk[] | undefined>;

/** How many parts are in memory at once, of all users. */
const maxParts = 4;

/** How long a reader has for one turn, unless said otherwise. */
const defaultTurnMs = 2000;

/**
 * Sends answers that can be large. Users take turns, and each has one at a time: what is in memory depends neither on how
 * many answers were asked for nor on whether anybody reads them.
 */
export class ResponseQueue {
	readonly #turns = new FairQueue(maxParts, 1);
	readonly #turnMs: number;

	/** Whoever is not done after `turnMs` waits for the next turn, and holds nothing. */
	constructor(turnMs = defaultTurnMs) {
		this.#turnMs = turnMs;
	}

	/** Sends the parts one after the other and ends the answer. Rejects as a part does. */
	async send(owner: string, response: ServerResponse, parts: Iterable<ResponsePart>): Promise<void> {
		for (const part of parts) {
			let sent = {count: 0, total: Number.POSITIVE_INFINITY};
			while (sent.count < sent.total && !response.destroyed) {
				const before = sent;
				sent = await this.#turns.run(owner, async () => sendOn(response, part, before, this.#turnMs));
				await hasRoom(response);
			}
		}

		response.end();
	}
}

/** How many pieces of a part were sent, and how many there are. */
type Sent = {readonly count: number; readonly total: number};

/** Sends the next pieces, until that was the last one or the turn is over. */
async function sendOn(response: ServerResponse, part: ResponsePart, before: Sent, turnMs: number): Promise<Sent> {
	const pieces = response.destroyed ? [] : ((await part()) ?? []);
	const total = pieces.length;
	if (before.count > 0 && total !== before.total) {
		// Its mail was deleted, or not read to its end this time.
		response.destroy();
	}

	const end = performance.now() + turnMs;
	let {count} = before;
	for (const piece of pieces.slice(count)) {
		await hasRoom(response, end - performance.now());
		if (response.destroyed || response.writableNeedDrain || performance.now() > end) {
			break;
		}

		response.write(piece());
		count++;
		// A fast reader takes all at once: others are to be heard in between.
		await setImmediate();
	}

	return {count, total};
}

/** Resolves when the reader took what was written or left, or after `ms`. */
async function hasRoom(response: ServerResponse, ms?: number): Promise<void> {
	if (!response.writableNeedDrain || response.destroyed) {
		return;
	}

	await new Promise<void>(resolve => {
		const timer = ms === undefined ? undefined : setTimeout(done, ms);
		function done(): void {
			clearTimeout(timer);
			response.off('drain', done);
			response.off('close', done);
			resolve();
		}

		response.on('drain', done);
		response.on('close', done);
	});
}

/** An answer of so few pieces is sent as a whole, which costs less than turns. */
const maxWholePieces = 8;

type JsonAnswer<Data extends object> = {
	/** Whose turns it takes when it is large. */
	readonly owner: string;
	readonly longAnswers: ResponseQueue;
	/** Makes the data, the same each time: a large answer that nobody reads holds none of it. */
	readonly make: () => Data;
};

/** What a route gives that answers with JSON which mail and receivers can make large: nothing when it was sent in turns. */
export async function answerJson<Data extends object>(
	ctx: Context,
	{owner, longAnswers, make}: JsonAnswer<Data>,
): Promise<Data | undefined> {
	const data = make();
	if (jsonChunks(data).length <= maxWholePieces) {
		return data;
	}

	ctx.respond = false;
	beginJson(ctx.res);
	await longAnswers.send(owner, ctx.res, [async () => jsonChunks(make())]);
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
): Generator<ResponsePart> {
	let first: Row | undefined;
	yield async () => [() => before];
	for (const row of rows) {
		yield async () => {
			const body = await bodyOf(row);
			if (body === undefined) {
				return undefined;
			}

			first ??= row;
			return [() => (first === row ? '' : ','), ...jsonChunks(body)];
		};
	}

	yield async () => [() => after];
}

/** Begins an answer that is not Koa's to send. */
export function beginJson(response: ServerResponse): void {
	response.statusCode = 200;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** A piece of a large answer, made when it is its time to be sent. */
export type Chunk = () => string | Uint8Array;

/** Characters or bytes of a piece, about: so little that making one holds nobody up. */
const pieceLength = 32 * 1024;

/** The JSON of plain data. Long texts in it are encoded piece by piece. */
export function jsonChunks(data: unknown): readonly Chunk[] {
	const pieces: Chunk[] = [];
	let short = '';
	const flush = () => {
		const text = short;
		pieces.push(() => text);
		short = '';
	};
	const write = (text: string) => {
		short += text;
		if (short.length >= pieceLength) {
			flush();
		}
	};
	const walk = (value: unknown): void => {
		if (typeof value === 'string' && value.length > pieceLength) {
			short += '"';
			flush();
			pieces.push(...textChunks(value, slice => JSON.stringify(slice).slice(1, -1)));
			write('"');
		} else if (Array.isArray(value)) {
			for (const [index, item] of value.entries()) {
				write(index === 0 ? '[' : ',');
				walk(item);
			}

			write(value.length === 0 ? '[]' : ']');
		} else if (typeof value === 'object' && value !== null) {
			let before = '{';
			for (const [name, field] of Object.entries(value).filter(([, field]) => field !== undefined)) {
				write(`${before}${JSON.stringify(name)}:`);
				walk(field);
				before = ',';
			}

			write(before === '{' ? '{}' : '}');
		} else {
			write(JSON.stringify(value));
		}
	};
	walk(data);
	flush();
	return pieces;
}

/** A text, encoded slice by slice; no slice ends within a character, nor within a word unless it has no other end. */
export function textChunks(text: string, encode = (slice: string) => slice): readonly Chunk[] {
	const pieces: Chunk[] = [];
	for (let start = 0; start < text.length; ) {
		const from = start;
		const to = endOfSlice(text, from);
		pieces.push(() => encode(text.slice(from, to)));
		start = to;
	}

	return pieces;
}

/** Each is a copy: one that waits to be sent does not keep all the others in memory. */
export function byteChunks(bytes: Uint8Array): readonly Chunk[] {
	return Array.from({length: Math.ceil(bytes.length / pieceLength)}, (_, index) => {
		return () => new Uint8Array(bytes.subarray(index * pieceLength, (index + 1) * pieceLength));
	});
}

function endOfSlice(text: string, from: number): number {
	const slice = text.slice(from, from + pieceLength);
	const end = slice.length < pieceLength ? slice.length : Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf(' ')) + 1;
	return end > 0 ? from + end : endOfCharacter(text, from + pieceLength);
}

/** The place, or the next one if it is between the halves of a surrogate pair. */
function endOfCharacter(text: string, place: number): number {
	return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place + 1 : place;
}
