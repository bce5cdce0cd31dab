import {Unsent} from '../domain/mail/sending.js';
import {NotJson, parseJson} from '../lib/text/json.js';

/** Commas and opening brackets outside of texts, which is about as many values: to read and check very many takes long. */
const maxValues = 200_000;

export type JsonOptions = {
	/** Numbers in lists do not count: they are the bytes of files. */
	readonly hasByteLists?: boolean;
};

/** The body of a request as JSON; throws that it is `malformed`. */
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

/** Goes past texts by native searches: they are most of such a body, and mail in HTML is full of commas. */
function hasTooManyValues(body: Buffer, hasByteLists: boolean): boolean {
	let count = 0;
	for (let at = 0; at < body.length && count <= maxValues; at += 1) {
		const byte = body[at];
		if (byte === quote) {
			at = endOfText(body, at + 1);
		} else if (byte === bracket || byte === brace || (byte === comma && !(hasByteLists && isBeforeDigit(body, at)))) {
			count += 1;
		}
	}

	return count > maxValues;
}

/** Whether a number follows the comma there, as it does in lists alone. */
function isBeforeDigit(body: Buffer, at: number): boolean {
	const next = body[body[at + 1] === space ? at + 2 : at + 1] ?? 0;
	return next >= zero && next <= nine;
}

/** The place of the quote that ends a text. */
function endOfText(body: Buffer, start: number): number {
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
