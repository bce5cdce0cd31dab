import {isUtf8} from 'node:buffer';

const space = /[ \t\r\n]*/y;
const plainText = /[^"\\\u0000-\u001f]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const bareValue = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/** Tokens expected at a position: a value, a key, the end of an empty container, or what follows a value. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'more';

/**
 * Position of the first error in an invalid JSON text (RFC 8259), counted in characters from 0; its length if it only ends
 * too early. Messages of JSON parsers differ between versions and quote the text.
 */
export function jsonProblem(text: string): number {
	const open: string[] = [];
	let expected: Expected = 'value';
	let at = endOf(space, text, 0) ?? 0;
	while (at < text.length) {
		const character = text.charAt(at);
		let end: number | undefined = at + 1;
		if (character === '"' && expected !== 'colon' && expected !== 'more') {
			const {end: behind, problem} = readText(text, at);
			if (problem !== undefined) {
				return problem;
			}

			end = behind;
			expected = expected.startsWith('key') ? 'colon' : 'more';
		} else if (expected === 'colon' && character === ':') {
			expected = 'value';
		} else if (expected === 'more' && character === ',' && open.length > 0) {
			expected = open.at(-1) === '}' ? 'key' : 'value';
		} else if ((expected === 'more' || expected.endsWith('or end')) && character === open.at(-1)) {
			open.pop();
			expected = 'more';
		} else if (expected.startsWith('value')) {
			const isOpening = character === '{' || character === '[';
			end = isOpening ? end : endOf(bareValue, text, at);
			expected = character === '{' ? 'key or end' : character === '[' ? 'value or end' : 'more';
			if (isOpening) {
				open.push(character === '{' ? '}' : ']');
			}
		} else {
			end = undefined;
		}

		if (end === undefined) {
			return at;
		}

		at = endOf(space, text, end) ?? end;
	}

	return text.length;
}

/** Scans the string literal that starts at `start`. */
function readText(text: string, start: number): {readonly end: number; readonly problem?: number} {
	let at = start + 1;
	for (;;) {
		at = endOf(plainText, text, at) ?? at;
		if (text[at] === '"') {
			return {end: at + 1};
		}

		const next = endOf(escapeSequence, text, at);
		if (next === undefined) {
			return {end: at, problem: at};
		}

		at = next;
	}
}

/** End of the match at this position; undefined if there is none. */
function endOf(expression: RegExp, text: string, at: number): number | undefined {
	expression.lastIndex = at;
	return expression.test(text) ? expression.lastIndex : undefined;
}

/** Keys through which a body could reach the prototype of an object. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** Matches every text that may contain a forbidden key, plain or escaped. Checking all keys takes longer than parsing. */
const mayHaveForbiddenKey = /proto|constructor|\\u/;

/** Rejected JSON. The message continues the words "The body". */
export class NotJson extends Error {
	/** The forbidden key, if it is the cause. */
	readonly key: string | undefined;

	constructor(message: string, key?: string) {
		super(message);
		this.key = key;
	}
}

/** Parses JSON bytes. Throws `NotJson`, also for a forbidden key. */
export function parseJson(bytes: Buffer): unknown {
	if (!isUtf8(bytes)) {
		throw new NotJson('is not valid JSON: invalid UTF-8');
	}

	const text = new TextDecoder().decode(bytes);
	try {
		return JSON.parse(text, mayHaveForbiddenKey.test(text) ? refuseForbiddenKey : undefined);
	} catch (error) {
		if (error instanceof SyntaxError) {
			throw new NotJson(`is not valid JSON: ${describeProblem(text)}`);
		}

		if (error instanceof RangeError) {
			throw new NotJson('is not valid JSON: nested too deeply');
		}

		throw error;
	}
}

function describeProblem(text: string): string {
	const at = jsonProblem(text);
	return at === text.length ? 'unexpected end' : `unexpected character at position ${at} (counted from 0)`;
}

function refuseForbiddenKey(key: string, value: unknown): unknown {
	if (forbiddenKeys.has(key)) {
		throw new NotJson(`contains the field "${key}", which is not allowed`, key);
	}

	return value;
}
