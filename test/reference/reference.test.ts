import {expect, test} from 'vitest';
import {cliPage} from './cli-page.js';
import {exitCodesPage} from './exit-codes-page.js';
import {httpApiPage, undescribed} from './http-api-page.js';
import {limitsPage} from './limits-page.js';
import {settingsPage} from './settings-page.js';

const pages: ReadonlyArray<readonly [name: string, render: () => string | Promise<string>]> = [
	['cli', cliPage],
	['http-api', httpApiPage],
	['settings', settingsPage],
	['exit-codes', exitCodesPage],
	['limits', limitsPage],
];

test.each(pages)('docs/reference/%s.md equals the generated page', async (name, render) => {
	await expect(await render()).toMatchFileSnapshot(`../../docs/reference/${name}.md`);
});

test('every parameter and field of the HTTP API has a description', () => {
	expect(undescribed()).toEqual([]);
});
