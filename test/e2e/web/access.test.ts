import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {violationsIn} from './axe.js';
import {type Screen, screensOf} from './screens.js';
import {type WebWorld, webTest} from './web-world.js';

/** There are many screens. */
const longest = 480_000;

async function show(web: WebWorld, page: Page, {path, shown, act}: Screen): Promise<void> {
	await page.goto(`${web.site}${path}`);
	await page.getByText(shown).filter({visible: true}).first().waitFor();
	await expect.poll(async () => page.locator('[aria-busy=true], .tab > .reading').count()).toBe(0);
	await act?.(page);
}

/** What is wrong with the page as it is, at each width: a wide one by day, a narrow one by night. */
async function wrongs(page: Page, name: string, widths: readonly number[]): Promise<readonly string[]> {
	const found: string[] = [];
	for (const width of widths) {
		await page.setViewportSize({width, height: 900});
		await page.emulateMedia({colorScheme: width < 600 ? 'dark' : 'light'});
		found.push(...(await violationsIn(page)));
		const beyond = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
		found.push(...(beyond > 0 ? [`${beyond} px wider than the window`] : []));
	}

	return found.map(wrong => `${name}, ${widths.join(' and ')} px: ${wrong}`);
}

webTest(
	'axe-core has nothing against any screen, wide by day or narrow by night',
	async ({web, page, person}) => {
		await page.getByText('tinbox inbox create').first().waitFor();
		const found = [...(await wrongs(page, 'no inbox', [1440, 375]))];
		const screens = await screensOf(web, person);
		web.tolerate(/status of 40[14]/, /Loading the image .*"img-src data:"/);
		for (const screen of screens) {
			for (const widths of screen.asksForWidth ? [[1440], [375]] : [[1440, 375]]) {
				await page.setViewportSize({width: widths[0] ?? 0, height: 900});
				await show(web, page, screen);
				found.push(...(await wrongs(page, screen.name, widths)));
			}
		}

		const stranger = await (await web.browser()).newPage();
		await stranger.goto(`${web.site}/app/`);
		await stranger.getByLabel('API key or token').waitFor();
		found.push(...(await wrongs(stranger, 'login', [1440, 375])));

		web.tolerate(/ERR_/);
		await web.kill();
		await page.getByText('Disconnected. Reconnecting …').waitFor();
		found.push(...(await wrongs(page, 'daemon gone', [1440, 375])));
		expect(found).toEqual([]);
	},
	longest,
);
