import type {Browser} from 'playwright-core';
import {expect} from 'vitest';
import {chromiumPath, chromiumTest, openBrowser} from '../../helpers/chromium.js';
import {openTinbox} from '../../helpers/tinbox.js';
import {violationsIn} from './axe.js';
import {announced} from './screen-reader.js';

const docsTest = chromiumTest.skipIf(chromiumPath === undefined);

async function openDocs(chromium: Browser) {
	const tinbox = await openTinbox();
	const page = await (await openBrowser(chromium)).newPage();
	await page.goto(new URL('/docs', tinbox.url).href);
	return page;
}

docsTest(
	'axe-core finds no violation on the API documentation page, wide and light or narrow and dark',
	{timeout: 120_000},
	async ({chromium}) => {
		const page = await openDocs(chromium);
		for (const [width, colorScheme] of [
			[1280, 'light'],
			[360, 'dark'],
		] as const) {
			await page.setViewportSize({width, height: 900});
			await page.emulateMedia({colorScheme});
			expect(await violationsIn(page)).toEqual([]);
			expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
		}
	},
);

docsTest('an operation of the API documentation page is found and opened by keyboard', async ({chromium}) => {
	const page = await openDocs(chromium);
	await page.keyboard.press('Tab');
	expect(await announced(page)).toBe('link "openapi.json"');
	await page.keyboard.press('Tab');
	expect(await announced(page)).toBe('searchbox "Search"');
	await page.keyboard.type('address_taken create');
	expect(await page.getByRole('status').textContent()).toBe('1 operation');
	const shown = ['Inboxes', 'Authentication', 'Schemas'];
	expect(await page.getByRole('heading', {level: 2}).allTextContents()).toEqual([...shown, ...shown]);
	await page.keyboard.press('Tab');
	expect(await announced(page)).toBe('link "Create an inbox"');
	await page.keyboard.press('Enter');
	const operation = page.locator('article:target');
	await expect.poll(async () => operation.getByText('tinbox inbox create').isVisible()).toBe(true);
	expect(await page.getByRole('link', {name: 'Get an inbox', exact: true}).isVisible()).toBe(false);
	await page.keyboard.press('Tab');
	expect(await announced(page)).toBe('link "apiKey"');
});
