import {isUtf8} from 'node:buffer';
import type {IncomingMessage, ServerResponse} from 'node:http';
import {AppError, invalidField} from '../domain/errors.js';
import {FairQueue} from '../lib/fair-queue.js';
import {readBytes} from '../lib/read-body.js';
import {jsonProblem} from './json-problem.js';
import {HttpProblem} from './problem.js';

const maxBytes = 1024 * 1024;

/** Commas and opening brackets of a body, which is about as many values: to read and check very many takes long. */
const maxValues = 10_000;

/** Names through which a body could reach into the prototype of an object. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** A body up to this length does not wait for a turn. */
const maxSmallBytes = 16 * 1024;

/** As many large bodies are read at once, of all users. */
const places = Array.from({length: 64}, (_, index) => index);

type Exchange = {readonly req: IncomingMessage; readonly res: ServerResponse};

/**
 * Reads JSON bodies. Users take turns with large ones, which are not read before: what has come of all bodies is bounded,
 * and who sends many, or slowly, delays nobody else.
 */
export class JsonBodies {
	readonly #turns = new FairQueue(places);

	/**
	 * The body of a request; undefined when there is none. Reads no further than 1 MiB. Throws `too_large`, and
	 * `HttpProblem` for another media type or a body that is no JSON; `invalid_input` for a key that no object here has.
	 */
	async read(owner: string, exchange: Exchange): Promise<unknown> {
		const {req: request} = exchange;
		const length = declaredLength(request);
		if (length === 0) {
			return undefined;
		}

		assertJson(request);
		if (length > maxBytes && Number.isFinite(length)) {
			throw tooLarge();
		}

		if (!isLarge(request)) {
			return readJson(exchange);
		}

		await holdBack(request);
		return this.#turns.run(owner, async () => {
			request.socket.resume();
			return readJson(exchange);
		});
	}
}

/** Whether the body of a request has to wait for its turn. */
export function isLarge(request: IncomingMessage): boolean {
	return declaredLength(request) > maxSmallBytes;
}

/** Infinite where nobody can tell. */
function declaredLength({headers}: IncomingMessage): number {
	return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

/**
 * Reads no more of a body until its turn. What has come in pieces of a byte takes a hundred times its length; joined, it
 * takes no more than that.
 */
export async function holdBack(request: IncomingMessage): Promise<void> {
	const come = request.complete ? null : request.read();
	if (come !== null) {
		request.unshift(come);
	}

	// To read asks the connection for more as soon as this code is done.
	await new Promise<void>(resolve => process.nextTick(resolve));
	request.socket.pause();
}

async function readJson({req: request, res: response}: Exchange): Promise<unknown> {
	// An older client did not mean it (RFC 9110, section 10.1.1).
	if (request.headers.expect !== undefined && request.httpVersion !== '1.0') {
		response.writeContinue();
	}

	const bytes = await readBytes(request, maxBytes);
	if (bytes === undefined) {
		throw tooLarge();
	}

	return bytes.length === 0 ? undefined : parse(bytes);
}

function tooLarge(): AppError {
	return new AppError('too_large', 'The body is larger than 1 MiB. Send less.');
}

function assertJson({headers}: IncomingMessage): void {
	const type = headers['content-type'] ?? '';
	if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || headers['content-encoding'] !== undefined) {
		throw new HttpProblem('unsupported_media_type', 'Send the body as JSON, with "Content-Type: application/json".');
	}
}

function parse(bytes: Buffer): unknown {
	if (hasTooManyValues(bytes)) {
		throw new HttpProblem('malformed', `The body has more than ${maxValues} commas and brackets. Send fewer values.`);
	}

	if (!isUtf8(bytes)) {
		throw new HttpProblem('malformed', 'The body cannot be read as JSON: it is not in UTF-8.');
	}

	const text = new TextDecoder().decode(bytes);
	try {
		return JSON.parse(text, refuseForbiddenKey);
	} catch (error) {
		if (error instanceof SyntaxError) {
			throw new HttpProblem('malformed', `The body cannot be read as JSON: ${describeProblem(text)}.`);
		}

		if (error instanceof RangeError) {
			throw new HttpProblem('malformed', 'The body cannot be read as JSON: it is nested too deeply.');
		}

		throw error;
	}
}

function describeProblem(text: string): string {
	const at = jsonProblem(text);
	return at === text.length ? 'it ends too early' : `it goes wrong at position ${at} (counted from 0)`;
}

/** By native searches, which take a small part of the time that a look at each byte takes. */
function hasTooManyValues(bytes: Buffer): boolean {
	let count = 0;
	for (const sign of [',', '[', '{']) {
		for (let at = bytes.indexOf(sign); at !== -1 && count <= maxValues; at = bytes.indexOf(sign, at + 1)) {
			count += 1;
		}
	}

	return count > maxValues;
}

function refuseForbiddenKey(key: string, value: unknown): unknown {
	if (forbiddenKeys.has(key)) {
		throw invalidField(key, 'is not accepted as a field');
	}

	return value;
}
