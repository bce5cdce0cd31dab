import {readFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';

type Output = {
	readonly inputs: Readonly<Record<string, unknown>>;
	readonly imports: ReadonlyArray<{readonly path: string; readonly kind: string}>;
};

const root = path.join(import.meta.dirname, '../..');

let outputs: Readonly<Record<string, Output>>;

/** The chunks that are loaded before a command is known to need more. */
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

describe('what the command line loads at start', () => {
	beforeAll(() => {
		outputs = JSON.parse(readFileSync(path.join(root, 'dist/meta.json'), 'utf8')).outputs;
	});

	test('is commander and nothing else of other people', () => {
		const libraries = inputsAtStart().map(input => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]);
		expect(new Set(libraries.filter(library => library !== undefined))).toEqual(new Set(['commander']));
	});

	test('holds nothing of the daemon or the terminal screens', () => {
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

	test('is in one chunk, but for what bundling itself needs', () => {
		expect(chunksAtStart().length).toBeLessThanOrEqual(3);
	});

	test('imports no module of Node.js, which would load more than is used', () => {
		for (const chunk of chunksAtStart()) {
			expect(readFileSync(path.join(root, chunk), 'utf8')).not.toMatch(/\bimport\b[^;]{0,200}?from ?"node:/);
		}
	});
});
