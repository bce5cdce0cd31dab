import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

/** Label, text or tag name of the element in focus. */
const focused = async (page: Page) =>
	String(
		await page.evaluate(
			'(document.activeElement.ariaLabel ?? document.activeElement.textContent) || document.activeElement.tagName',
		),
	);

/** Background color of the selected row, and the color of each text in it. */
const rowColors = `(row => [
	getComputedStyle(row).backgroundColor,
	...[...row.children].map(text => getComputedStyle(text).color),
])(document.querySelector('.mail-row[aria-selected=true]'))`;

webTest(
	'focus stays in the list or pane of the last action, with forced colors, on narrow windows and at 400 % zoom',
	async ({web, page, person: {api}}) => {
		const {id, email_address: address} = await api.inboxes.create({name: 'orders'});
		await web.send(address, {subject: 'one', text: 'one'});
		await web.send(address, {subject: 'two', text: 'two'});
		await page.goto(`${web.site}/app/inboxes/${id}`);
		await page.getByRole('option', {name: /two/}).waitFor();

		await page.keyboard.press('Tab');
		expect(await focused(page)).toBe('Skip to content');
		await page.keyboard.press('Enter');
		expect(await focused(page)).toBe('Messages');

		// After a click on a row, its list keeps the focus and opens the rows that keys select.
		await page.getByRole('option', {name: /two/}).click();
		expect(await focused(page)).toBe('Messages');
		await page.keyboard.press('j');
		await expect.poll(() => page.getByRole('heading', {name: 'one'}).count()).toBe(1);
		await page.getByRole('button', {name: 'Delete', exact: true}).click();
		await page.keyboard.press('z');
		await page.getByRole('option', {name: /one/}).waitFor();
		await page.getByRole('button', {name: 'Undo'}).waitFor({state: 'detached'});
		expect(await focused(page)).not.toBe('BODY');

		// With forced colors, all text of the selected row has one color, which differs from the background.
		await page.keyboard.press('j');
		await page.locator('.mail-row[aria-selected=true]').waitFor();
		await page.emulateMedia({forcedColors: 'active'});
		const [background, ...texts] = (await page.evaluate(rowColors)) as string[];
		expect(new Set(texts).size).toBe(1);
		expect(texts[0]).not.toBe(background);
		await page.emulateMedia({forcedColors: 'none'});

		// On a narrow window, the visible pane has the focus.
		await page.setViewportSize({width: 375, height: 800});
		await page.getByRole('link', {name: 'Messages'}).click();
		await page.getByRole('option', {name: /two/}).waitFor();
		await page.getByRole('listbox', {name: 'Messages'}).focus();
		await page.getByRole('option', {name: /two/}).click();
		await page.getByRole('heading', {name: 'two'}).waitFor();
		await expect
			.poll(async () => page.evaluate('document.activeElement.closest("[data-pane]")?.dataset.pane'))
			.toBe('message');
		await page.goBack();
		await expect.poll(() => focused(page)).toBe('Messages');

		// At 400 % zoom, the list is still in view.
		await page.setViewportSize({width: 320, height: 225});
		await page.getByRole('option', {name: /two/}).scrollIntoViewIfNeeded();
		const {y = 0, height = 0} = (await page.getByRole('option', {name: /two/}).boundingBox()) ?? {};
		expect(y).toBeGreaterThan(0);
		expect(y + height).toBeLessThan(226);
	},
);

webTest('the keyboard shortcuts dialog opens at its top and fits the width of the window', async ({page}) => {
	await page.getByText('tinbox inbox create').first().waitFor();
	for (const width of [1440, 375]) {
		await page.setViewportSize({width, height: 800});
		await page.keyboard.press('?');
		const help = page.getByRole('dialog', {name: 'Keyboard shortcuts'});
		await help.waitFor();
		expect(await help.evaluate('document.querySelector("dialog").scrollTop')).toBe(0);
		expect(await help.evaluate('document.querySelector("dialog").scrollWidth <= innerWidth')).toBe(true);
		await help.getByText('Open the SMTP tab').waitFor();
		await page.keyboard.press('Escape');
		await help.waitFor({state: 'detached'});
	}
});
