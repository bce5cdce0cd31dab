import {Unsent} from '../domain/mail/sending.js';
import {NotJson, parseJson} from '../lib/text/json.js';

/** Maximum number of commas and opening brackets outside of strings, which is about the number of values. Validating many takes long. */
const maxValues = 200_000;

export type JsonOptions = {
	/** True if numbers in lists do not count, as they are the bytes of files. */
	readonly hasByteLists?: boolean;
};

/** Parses the body of a request. Throws `Unsent` with the failure `malformed`. */
export function readJson(body: Buffer, {hasByteLists = false}: JsonOptions = {}): unknown {
	if (hasTooManyValues(body, hasByteLists)) {
		throw malformed(`The body has more than ${maxValues} commas and brackets. Send fewer values.`);
	}

	try {
		return parseJson(body);
	} catch (error) {
		throw error instanceof NotJson ? malformed(`The body ${error.message}.`) : error;
	}
}

function malformed(detail: string): Unsent {
	return new Unsent({type: 'malformed', detail});
}

const [quote, backslash, comma, bracket, brace, space, zero = 0, nine = 0] = Buffer.from('"\\,[{ 09');

/** Counts values. Strings, which are most of the body, are skipped by native searches. */
function hasTooManyValues(body: Buffer, hasByteLists: boolean): boolean {
	let count = 0;
	for (let at = 0; at < body.length && count <= maxValues; at += 1) {
		const byte = body[at];
		if (byte === quote) {
			at = endOfString(body, at + 1);
		} else if (byte === bracket || byte === brace || (byte === comma && !(hasByteLists && isBeforeDigit(body, at)))) {
			count += 1;
		}
	}

	return count > maxValues;
}

/** True if a number follows the comma at `at`, which happens only in lists. */
function isBeforeDigit(body: Buffer, at: number): boolean {
	const next = body[body[at + 1] === space ? at + 2 : at + 1] ?? 0;
	return next >= zero && next <= nine;
}

/** Index of the quote that ends a string. */
function endOfString(body: Buffer, start: number): number {
	let from = start;
	for (;;) {
		const at = body.indexOf('"', from);
		if (at === -1) {
			return body.length;
		}

		let first = at;
		while (first > from && body[first - 1] === backslash) {
			first -= 1;
		}

		if ((at - first) % 2 === 0) {
			return at;
		}

		from = at + 1;
	}
}
