import type {IncomingMessage, ServerResponse} from 'node:http';
import {AppError, invalidField} from '../domain/errors.js';
import {NotJson, parseJson} from '../lib/text/json.js';
import {BodyTurns, declaredLength} from './body-turns.js';
import {HttpProblem} from './problem.js';

const maxBytes = 1024 * 1024;

/** Commas and opening brackets of a body, which is about as many values: to read and check very many takes long. */
const maxValues = 10_000;

/** Reads JSON bodies, in turns. */
export class JsonBodies {
	readonly #turns = new BodyTurns(64);

	/**
	 * The body of a request; undefined when there is none. Reads no further than 1 MiB. Throws `too_large`, and
	 * `HttpProblem` for another media type or a body that is no JSON; `invalid_input` for a key that no object here has.
	 */
	async read(owner: string, exchange: {readonly req: IncomingMessage; readonly res: ServerResponse}): Promise<unknown> {
		const {req: request} = exchange;
		if (declaredLength(request) === 0) {
			return undefined;
		}

		assertJson(request);
		return this.#turns.take(owner, exchange, maxBytes, bytes => {
			if (bytes === undefined) {
				throw new AppError('too_large', 'The body is larger than 1 MiB. Send a smaller one.');
			}

			return bytes.length === 0 ? undefined : parse(bytes);
		});
	}
}

function assertJson({headers}: IncomingMessage): void {
	const type = headers['content-type'] ?? '';
	if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || headers['content-encoding'] !== undefined) {
		throw new HttpProblem(
			'unsupported_media_type',
			'The body must be JSON, sent with "Content-Type: application/json".',
		);
	}
}

function parse(bytes: Buffer): unknown {
	if (hasTooManyValues(bytes)) {
		throw new HttpProblem(
			'malformed',
			`The body has more than ${maxValues} commas and opening brackets. Send fewer values.`,
		);
	}

	try {
		return parseJson(bytes);
	} catch (error) {
		if (error instanceof NotJson) {
			throw error.key === undefined
				? new HttpProblem('malformed', `The body ${error.message}.`)
				: invalidField(error.key, 'is not allowed as a field name');
		}

		throw error;
	}
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
