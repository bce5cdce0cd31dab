import fc from 'fast-check';
import {expect, test} from 'vitest';
import {jsonProblem} from '../../../../src/lib/text/json.js';

test.each([
	['', 0],
	['x', 0],
	['{"a":1}}', 7],
	['{"a":1,}', 7],
	['[1,]', 3],
	['[1 2]', 3],
	['{"a" 1}', 5],
	['{a:1}', 1],
	['{"a":[}', 6],
	['["a\nb"]', 3],
	['["a\\x"]', 3],
	['["a', 3],
	['[01]', 1],
	['[tru', 1],
	['[1.]', 1],
	['{"a":', 5],
	[' [1] ,', 5],
])('the syntax error of %j is at %d', (text, at) => {
	expect(jsonProblem(text)).toBe(at);
});

test('jsonProblem finds an error exactly if JSON.parse does', () => {
	const strange = fc.constantFrom('', ',', '}', ']', '"', '\\', ':', '1', 'x', '\u0001');
	fc.assert(
		fc.property(fc.json(), fc.nat(), strange, (json, place, more) => {
			const at = place % (json.length + 1);
			const text = json.slice(0, at) + more + json.slice(at);
			const problem = jsonProblem(text);
			if (isJson(text)) {
				expect(problem).toBe(text.length);
			} else {
				// The text before the error position is valid. A wrong word or number is an error at its start.
				expect(jsonProblem(text.slice(0, problem))).toBe(problem);
				const [wrong = ''] = /^[\w.+-]+|^./s.exec(text.slice(problem)) ?? [];
				expect(isJson(text.slice(0, problem) + wrong)).toBe(false);
			}
		}),
	);
});

test('the position of an error in a long text is found', () => {
	expect(jsonProblem(`["${'a'.repeat(1_000_000)}"`)).toBe(1_000_003);
	expect(jsonProblem(`["${'\\n'.repeat(500_000)}`)).toBe(1_000_002);
	expect(jsonProblem(`[${'1'.repeat(1_000_000)}x`)).toBe(1);
});

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
