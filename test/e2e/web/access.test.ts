import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {violationsIn} from './axe.js';
import {type Screen, screensOf} from './screens.js';
import {type WebWorld, webTest} from './web-world.js';

const timeoutMs = 480_000;

async function show(web: WebWorld, page: Page, {path, shown, act}: Screen): Promise<void> {
	await page.goto(`${web.site}${path}`);
	await page.getByText(shown).filter({visible: true}).first().waitFor();
	await expect.poll(async () => page.locator('[aria-busy=true], .tab > .reading').count()).toBe(0);
	await act?.(page);
}

/** Accessibility violations and horizontal overflow at each width: light colors if wide, dark if narrow. */
async function problemsOf(page: Page, name: string, widths: readonly number[]): Promise<readonly string[]> {
	const found: string[] = [];
	for (const width of widths) {
		await page.setViewportSize({width, height: 900});
		await page.emulateMedia({colorScheme: width < 600 ? 'dark' : 'light'});
		found.push(...(await violationsIn(page)));
		const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
		found.push(...(overflow > 0 ? [`${overflow} px wider than the window`] : []));
	}

	return found.map(problem => `${name}, ${widths.join(' and ')} px: ${problem}`);
}

webTest(
	'axe-core finds no violation on any screen, wide and light or narrow and dark',
	async ({web, page, person}) => {
		await page.getByText('tinbox inbox create').first().waitFor();
		const found = [...(await problemsOf(page, 'no inbox', [1440, 375]))];
		const screens = await screensOf(web, person);
		web.tolerate(/status of 40[14]/, /Loading the image .*"img-src data:"/);
		for (const screen of screens) {
			for (const widths of screen.dependsOnWidth ? [[1440], [375]] : [[1440, 375]]) {
				await page.setViewportSize({width: widths[0] ?? 0, height: 900});
				await show(web, page, screen);
				found.push(...(await problemsOf(page, screen.name, widths)));
			}
		}

		const loginPage = await (await web.browser()).newPage();
		await loginPage.goto(`${web.site}/app/`);
		await loginPage.getByLabel('API key or token').waitFor();
		found.push(...(await problemsOf(loginPage, 'login', [1440, 375])));

		web.tolerate(/ERR_/);
		await web.kill();
		await page.getByText('Disconnected. Reconnecting …').waitFor();
		found.push(...(await problemsOf(page, 'daemon gone', [1440, 375])));
		expect(found).toEqual([]);
	},
	timeoutMs,
);
