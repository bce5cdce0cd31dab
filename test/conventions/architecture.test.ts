import {existsSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const root = new URL('../../', import.meta.url);
const named = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8').match(/`[\w-]+(?:\/[\w.-]+)+\.tsx?`/g) ?? [];
const files = [...new Set(named.map(name => name.replaceAll('`', '')))];

test('ARCHITECTURE.md names at least 25 source files, so that the check below covers something', () => {
	expect(files.length).toBeGreaterThanOrEqual(25);
});

test.each(files)('the file %s, named in ARCHITECTURE.md, exists', name => {
	const file = name.startsWith('test/') ? name : `src/${name}`;
	expect(existsSync(fileURLToPath(new URL(file, root)))).toBe(true);
});
