import {isUtf8} from 'node:buffer';
import {jsonProblem} from './json-problem.js';

/** Names through which a body could reach into the prototype of an object. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** What the text of a forbidden key has in it, as it is or escaped. To look at all keys takes longer than to read them. */
const mayHaveForbiddenKey = /proto|constructor|\\u/;

/** Why something is not taken as JSON, in words that follow "The body". */
export class NotJson extends Error {
	/** The key because of which it is not. */
	readonly key: string | undefined;

	constructor(message: string, key?: string) {
		super(message);
		this.key = key;
	}
}

/** What the bytes say. Throws `NotJson`, also for a key that no object here has. */
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
