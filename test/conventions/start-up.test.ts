import {readFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';

type Output = {
	readonly inputs: Readonly<Record<string, unknown>>;
	readonly imports: ReadonlyArray<{readonly path: string; readonly kind: string}>;
};

const root = path.join(import.meta.dirname, '../..');

let outputs: Readonly<Record<string, Output>>;

/** The chunks that every command loads: those that `main.js` imports statically. */
function chunksAtStart(): string[] {
	const reached = new Set(['dist/main.js']);
	for (const chunk of reached) {
		for (const {path: target, kind} of outputs[chunk]?.imports ?? []) {
			if (kind !== 'dynamic-import' && outputs[target]) {
				reached.add(target);
			}
		}
	}

	return [...reached];
}

const inputsAtStart = () => chunksAtStart().flatMap(chunk => Object.keys(outputs[chunk]?.inputs ?? {}));

describe('the command line at start', () => {
	beforeAll(() => {
		outputs = JSON.parse(readFileSync(path.join(root, 'dist/meta.json'), 'utf8')).outputs;
	});

	test('loads commander and no other library', () => {
		const libraries = inputsAtStart().map(input => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]);
		expect(new Set(libraries.filter(library => library !== undefined))).toEqual(new Set(['commander']));
	});

	test('loads nothing of the daemon or the terminal UI', () => {
		const folders = inputsAtStart().map(input => /^src\/(\w+)\//.exec(input)?.[1]);
		expect([...new Set(folders.filter(folder => folder !== undefined))].sort()).toEqual([
			'cli',
			'client',
			'config',
			'contract',
			'lib',
			'runtime',
		]);
	});

	test('loads at most three chunks', () => {
		expect(chunksAtStart().length).toBeLessThanOrEqual(3);
	});

	test('imports no Node.js module statically', () => {
		for (const chunk of chunksAtStart()) {
			expect(readFileSync(path.join(root, chunk), 'utf8')).not.toMatch(/\bimport\b[^;]{0,200}?from ?"node:/);
		}
	});
});
