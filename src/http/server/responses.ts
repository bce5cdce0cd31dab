import type {ServerResponse} from 'node:http';
import {setImmediate} from 'node:timers/promises';
import type {Context} from 'koa';
import {FairQueue} from '../../lib/queue/fair-queue.js';

/**
 * Creates the chunks of a part of a response at the time when it is sent; undefined for none. Chunks are not kept between time
 * slots, so each call must return the same ones.
 */
export type ResponsePart = () => Promise<readonly Chunk[] | undefined>;

/** Maximum number of parts in memory, of all users. */
const maxParts = 4;

/** Default time slot of a client. */
const defaultTurnMs = 2000;

/**
 * Queue of large responses. Users take turns and have one slot at a time, so memory depends neither on the number of requests
 * nor on slow clients.
 */
export class ResponseQueue {
	readonly #turns = new FairQueue(maxParts, 1);
	readonly #turnMs: number;

	/** A client that is not done after `turnMs` waits for its next turn; nothing is buffered for it meanwhile. */
	constructor(turnMs = defaultTurnMs) {
		this.#turnMs = turnMs;
	}

	/** Sends the parts in order and ends the response. Rejects if a part does. */
	async send(owner: string, response: ServerResponse, parts: Iterable<ResponsePart>): Promise<void> {
		for (const part of parts) {
			let sent = {count: 0, total: Number.POSITIVE_INFINITY};
			while (sent.count < sent.total && !response.destroyed) {
				const before = sent;
				sent = await this.#turns.run(owner, async () => sendSlot(response, part, before, this.#turnMs));
				await drained(response);
			}
		}

		response.end();
	}
}

/** Number of chunks of a part that were sent, and number of all. */
type Sent = {readonly count: number; readonly total: number};

/** Sends chunks until the end of the part or of the time slot. */
async function sendSlot(response: ServerResponse, part: ResponsePart, before: Sent, turnMs: number): Promise<Sent> {
	const pieces = response.destroyed ? [] : ((await part()) ?? []);
	const total = pieces.length;
	if (before.count > 0 && total !== before.total) {
		// The mail was deleted, or could not be parsed completely this time.
		response.destroy();
	}

	const end = performance.now() + turnMs;
	let {count} = before;
	for (const piece of pieces.slice(count)) {
		await drained(response, end - performance.now());
		if (response.destroyed || response.writableNeedDrain || performance.now() > end) {
			break;
		}

		response.write(piece());
		count++;
		// Let other work run between chunks for a fast client.
		await setImmediate();
	}

	return {count, total};
}

/** Resolves when the client has read the buffered data or disconnected, or after `ms`. */
async function drained(response: ServerResponse, ms?: number): Promise<void> {
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

/** Maximum number of chunks of a response that is sent at once, which is cheaper than queueing. */
const maxWholePieces = 8;

type JsonAnswer<Data extends object> = {
	/** Queue key, usually a user id. */
	readonly owner: string;
	readonly responseQueue: ResponseQueue;
	/** Creates the data, the same at each call: it is not kept for a slow client. */
	readonly make: () => Data;
};

/** Responds with JSON that can be large. Resolves to the data, or to undefined if it was sent through the queue. */
export async function answerJson<Data extends object>(
	ctx: Context,
	{owner, responseQueue, make}: JsonAnswer<Data>,
): Promise<Data | undefined> {
	const data = make();
	if (jsonChunks(data).length <= maxWholePieces) {
		return data;
	}

	ctx.respond = false;
	beginJson(ctx.res);
	await responseQueue.send(owner, ctx.res, [async () => jsonChunks(make())]);
	return undefined;
}

/** Maximum weight of a list that is sent at once, which is cheaper than queueing. */
const maxWholeWeight = 64;

/** Presentation of a list. */
export type ListOf<Row, Body, Whole extends object = object> = {
	/** Body of a row; undefined if the row was deleted. */
	readonly bodyOf: (row: Row) => Promise<Body | undefined>;
	/** Size of a row relative to a usual one; default 1. */
	readonly weightOf?: (row: Row) => number;
	/** Response with these bodies. */
	readonly wrap: (bodies: readonly Body[]) => Whole;
};

type ListAnswer<Row, Body, Whole extends object> = ListOf<Row, Body, Whole> & Omit<JsonAnswer<Whole>, 'make'>;

/** Responds with all rows. Resolves to the response, or to undefined if it was sent through the queue. */
export async function answerList<Row, Body, Whole extends object>(
	ctx: Context,
	rows: readonly Row[],
	{owner, responseQueue, bodyOf, weightOf = () => 1, wrap}: ListAnswer<Row, Body, Whole>,
): Promise<Whole | undefined> {
	if (rows.reduce((sum, row) => sum + weightOf(row), 0) <= maxWholeWeight) {
		return wrap((await Promise.all(rows.map(bodyOf))).filter(body => body !== undefined));
	}

	const [before, after] = JSON.stringify(wrap([])).split(/(?<=\[)(?=\])/);
	ctx.respond = false;
	beginJson(ctx.res);
	await responseQueue.send(owner, ctx.res, listParts(rows, bodyOf, {before, after}));
	return undefined;
}

/** Parts of a list, one for each row, so that one row at a time is in memory. */
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

/** Begins a JSON response that is sent without Koa. */
export function beginJson(response: ServerResponse): void {
	response.statusCode = 200;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** Sends a JSON response at once, without Koa. */
export function sendJson(response: ServerResponse, body: unknown): void {
	const text = JSON.stringify(body);
	beginJson(response);
	response.setHeader('Content-Length', Buffer.byteLength(text));
	response.end(text);
}

/** Chunk of a large response, created when it is sent. */
export type Chunk = () => string | Uint8Array;

/** Approximate length of a chunk: short enough to create it without blocking others. */
const pieceLength = 32 * 1024;

/** Serializes plain data as JSON. Long texts are encoded chunk by chunk. */
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

/** Encodes a text slice by slice. A slice ends at white space if possible, and never within a character. */
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

/** Splits bytes into copies, so that a buffered chunk does not keep the others in memory. */
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

/** Index of the next character boundary. */
function endOfCharacter(text: string, place: number): number {
	return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place + 1 : place;
}
