import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const readPage = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');

test('README.md has at most 900 words', () => {
	expect(readPage('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
});

test.each([
	['CHANGELOG.md', 60],
	['CONTRIBUTING.md', 120],
	['SECURITY.md', 120],
	['ARCHITECTURE.md', 150],
])('%s has at most %d lines', (page, limit) => {
	expect(readPage(page).trimEnd().split('\n').length).toBeLessThanOrEqual(limit);
});
