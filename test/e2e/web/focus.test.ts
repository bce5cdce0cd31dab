import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

/** What the keyboard is in. */
const focused = async (page: Page) =>
	String(
		await page.evaluate(
			'(document.activeElement.ariaLabel ?? document.activeElement.textContent) || document.activeElement.tagName',
		),
	);

/** The ground of the row that is selected, and the colour of each text in it. */
const coloursOfRow = `(row => [
	getComputedStyle(row).backgroundColor,
	...[...row.children].map(text => getComputedStyle(text).color),
])(document.querySelector('.mail-row[aria-selected=true]'))`;

webTest('the keyboard stays where a person expects it', async ({web, page, person: {api}}) => {
	const {id, email_address: address} = await api.inboxes.create({name: 'orders'});
	await web.send(address, {subject: 'one', text: 'one'});
	await web.send(address, {subject: 'two', text: 'two'});
	await page.goto(`${web.site}/app/inboxes/${id}`);
	await page.getByRole('option', {name: /two/}).waitFor();

	await page.keyboard.press('Tab');
	expect(await focused(page)).toBe('Skip to content');
	await page.keyboard.press('Enter');
	expect(await focused(page)).toBe('Messages');

	// A row that is clicked leaves the keys to its list, which tells of each row that they reach.
	await page.getByRole('option', {name: /two/}).click();
	expect(await focused(page)).toBe('Messages');
	await page.keyboard.press('j');
	await expect.poll(() => page.getByRole('heading', {name: 'one'}).count()).toBe(1);
	await page.getByRole('button', {name: 'Delete', exact: true}).click();
	await page.keyboard.press('z');
	await page.getByRole('option', {name: /one/}).waitFor();
	await page.getByRole('button', {name: 'Undo'}).waitFor({state: 'detached'});
	expect(await focused(page)).not.toBe('BODY');

	// In the colours of the system, all text of the row that is selected is of one colour, and its ground of another.
	await page.keyboard.press('j');
	await page.locator('.mail-row[aria-selected=true]').waitFor();
	await page.emulateMedia({forcedColors: 'active'});
	const [ground, ...texts] = (await page.evaluate(coloursOfRow)) as string[];
	expect(new Set(texts).size).toBe(1);
	expect(texts[0]).not.toBe(ground);
	await page.emulateMedia({forcedColors: 'none'});

	// Where one pane is shown, it has the keyboard.
	await page.setViewportSize({width: 375, height: 800});
	await page.getByRole('link', {name: 'Messages'}).click();
	await page.getByRole('option', {name: /two/}).waitFor();
	await page.getByRole('listbox', {name: 'Messages'}).focus();
	await page.getByRole('option', {name: /two/}).click();
	await page.getByRole('heading', {name: 'two'}).waitFor();
	await expect
		.poll(async () => page.evaluate('document.activeElement.closest("[data-place]")?.dataset.place'))
		.toBe('message');
	await page.goBack();
	await expect.poll(() => focused(page)).toBe('Messages');

	// A zoom of 400% leaves a list that is in view.
	await page.setViewportSize({width: 320, height: 225});
	await page.getByRole('option', {name: /two/}).scrollIntoViewIfNeeded();
	const {y = 0, height = 0} = (await page.getByRole('option', {name: /two/}).boundingBox()) ?? {};
	expect(y).toBeGreaterThan(0);
	expect(y + height).toBeLessThan(226);
});

webTest('the list of keys opens at its top, with all of it in reach', async ({page}) => {
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
