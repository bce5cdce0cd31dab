import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const inFolder = (folder: string, recursive: boolean): string[] =>
	readdirSync(path.join(root, folder), {recursive, encoding: 'utf8'})
		.filter(name => name.endsWith('.md'))
		.map(name => path.join(folder, name));

test.each([...inFolder('.', false), ...inFolder('docs', true)])('every relative link of %s resolves', page => {
	const links = [
		...readFileSync(path.join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
	];
	const broken = links.filter(([, to = '', anchor]) => {
		const file = to === '' ? path.join(root, page) : path.join(root, path.dirname(page), to);
		return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
	});
	expect(broken.map(([link]) => link)).toEqual([]);
});

test('every test and proof suite that SECURITY.md names exists', () => {
	const text = readFileSync(path.join(root, 'SECURITY.md'), 'utf8');
	const tests = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, name = '']) => name);
	expect(tests.length).toBeGreaterThan(20);
	expect(tests.filter(name => ![name, `${name}.test.ts`].some(file => existsSync(path.join(root, file))))).toEqual([]);
	const suites = readFileSync(path.join(root, 'test/slow/proof/suites.js'), 'utf8');
	const named = [...text.matchAll(/proof suites? ((?:`[\w-]+`(?:, )?)+)/g)].flatMap(([, list = '']) =>
		list.split(', '),
	);
	expect(named.length).toBeGreaterThan(5);
	expect(named.filter(name => !new RegExp(`^\t'?${name.replaceAll('`', '')}'?: `, 'm').test(suites))).toEqual([]);
});

/** Anchors of the headings, in the form of GitHub. */
function anchorsOf(file: string): readonly string[] {
	const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
	return [...headings].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
			.replaceAll(' ', '-'),
	);
}
