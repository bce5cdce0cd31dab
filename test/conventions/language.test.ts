import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {type Finding, findingsIn, patterns, type TextKind} from './language.js';

const root = path.join(import.meta.dirname, '../..');

/** Folders whose strings are given: words of mails in many languages, errors of providers, SQL. */
const foreign = ['src/domain/extract', 'src/send', 'src/store/postgres/schema.ts'];

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const filesIn = (folder: string, pattern: RegExp) =>
	readdirSync(path.join(root, folder), {recursive: true, encoding: 'utf8'})
		.filter(file => pattern.test(file))
		.map(file => path.join(folder, file));

/** Folders of tests and tools whose comments are checked, but not their strings. */
const tools = [
	...['bench', 'bin', 'test/compat', 'test/conventions', 'test/e2e'],
	...['test/golden', 'test/helpers', 'test/reference', 'test/slow'],
];

const sources = [
	...filesIn('src', /\.tsx?$/),
	...tools.flatMap(folder => filesIn(folder, /^(?!.*\.build\/).*\.[jt]s$/)),
];
const kindsIn = (file: string): readonly TextKind[] =>
	[...foreign, ...tools].some(folder => file.startsWith(`${folder}/`) || file === folder)
		? ['comment']
		: ['comment', 'string'];
const pages = [
	...readdirSync(root).filter(file => file.endsWith('.md')),
	...filesIn('docs', /\.md$/),
	...filesIn('test', /^[^/]*\.md$/),
];

/** One line per finding, as an editor links it. */
const report = (file: string, findings: readonly Finding[]) =>
	findings.map(({line, pattern, text}) => `${file}:${line}: ${pattern}: ${text}`);

describe('the plain language of', () => {
	test.each(sources)('%s has no pattern that the style guide forbids', file => {
		expect(report(file, findingsIn(file, read(file), kindsIn(file)))).toEqual([]);
	});

	test.each(pages)('%s has no pattern that the style guide forbids', page => {
		expect(report(page, findingsIn(page, read(page)))).toEqual([]);
	});
});

describe('the language check', () => {
	const wrong = ['wrong.ts', 'wrong.md'].map(name => {
		const file = `test/fixtures/language/${name}`;
		return findingsIn(file, read(file));
	});

	test.each(patterns.map(({name, kinds}) => [name, kinds] as const))('detects %s', (name, kinds) => {
		const [inCode = [], inProse = []] = wrong.map(findings => findings.filter(({pattern}) => pattern === name));
		expect(inCode.length).toBeGreaterThanOrEqual(kinds.filter(kind => kind !== 'prose').length);
		expect(inProse.length).toBeGreaterThanOrEqual(kinds.includes('prose') ? 1 : 0);
	});

	test('accepts plain sentences', () => {
		const file = 'test/fixtures/language/right.ts';
		expect(findingsIn(file, read(file))).toEqual([]);
	});
});
