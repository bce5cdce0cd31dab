import {existsSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const root = new URL('../../', import.meta.url);
const named = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8').match(/`[\w-]+(?:\/[\w.-]+)+\.tsx?`/g) ?? [];
const files = [...new Set(named.map(name => name.replaceAll('`', '')))];

test('ARCHITECTURE.md walks through many files', () => {
	expect(files.length).toBeGreaterThan(40);
});

test.each(files)('ARCHITECTURE.md names %s, which is there', name => {
	const place = name.startsWith('test/') ? name : `src/${name}`;
	expect(existsSync(fileURLToPath(new URL(place, root)))).toBe(true);
});
