import {isUtf8} from 'node:buffer';
import type {IncomingMessage} from 'node:http';
import {AppError, invalidField} from '../domain/errors.js';
import {readBytes} from '../lib/read-body.js';
import {jsonFault} from './json-fault.js';
import {HttpProblem} from './problem.js';

const maxBytes = 1024 * 1024;

/** Commas and opening brackets of a body, which is about as many values: to read and check very many takes long. */
const maxValues = 10_000;

/** Names through which a body could reach into the prototype of an object. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/**
 * The JSON body of a request; undefined when there is none. Reads no further than 1 MiB. Throws `too_large`, and
 * `HttpProblem` for another media type or a body that is no JSON; `invalid_input` for a key that no object here has.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
	const length = Number(request.headers['content-length'] ?? 0);
	if (length === 0 && request.headers['transfer-encoding'] === undefined) {
		return undefined;
	}

	assertJson(request);
	const bytes = length > maxBytes ? undefined : await readBytes(request, maxBytes);
	if (bytes === undefined) {
		throw new AppError('too_large', 'The body is larger than 1 MiB. Send less.');
	}

	return bytes.length === 0 ? undefined : parse(bytes);
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
			throw new HttpProblem('malformed', `The body cannot be read as JSON: ${describeFault(text)}.`);
		}

		if (error instanceof RangeError) {
			throw new HttpProblem('malformed', 'The body cannot be read as JSON: it is nested too deeply.');
		}

		throw error;
	}
}

function describeFault(text: string): string {
	const at = jsonFault(text);
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
