import {readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {extractCodes} from '../../../../src/domain/extract/codes.js';
import {readHtml} from '../../../../src/domain/extract/html.js';

const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/codes-and-links.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(.+)` \| (?:`(.+)`|none) \|$/gm)].map(([, text = '', code]) => ({text, code}));

test('the table in docs/codes-and-links.md contains mails with and without a code', () => {
	expect(rows.filter(({code}) => code !== undefined).length).toBeGreaterThan(5);
	expect(rows.filter(({code}) => code === undefined).length).toBeGreaterThan(3);
});

test.each(rows)('the documented mail "$text" has the code $code', ({text, code}) => {
	expect(extractCodes({subject: '', text, html: readHtml('')})).toEqual(code === undefined ? [] : [code]);
});
