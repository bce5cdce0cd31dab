import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

const option = (page: Page, list: string) => page.getByRole('listbox', {name: list}).locator('[aria-selected=true]');
const tab = (page: Page) => page.locator('[role=tab][aria-selected=true]');
const placeInFocus = async (page: Page) =>
	page.evaluate('document.activeElement.closest("[data-place]")?.dataset.place');

async function pressing(page: Page, keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
	}
}

webTest('keys move through inboxes, messages and tabs, as in the terminal', async ({web, page, person: {api}}) => {
	const inboxes = [];
	for (const name of ['first', 'second', 'third']) {
		inboxes.push(await api.inboxes.create({name}));
	}

	const [first] = inboxes;
	for (const subject of ['one', 'two', 'three']) {
		await web.send(first?.email_address ?? '', {
			subject,
			html: `<p>${subject}</p>`,
			attachments: [{filename: `${subject}.txt`, content: subject}],
		});
	}

	await expect.poll(async () => page.getByRole('listbox', {name: 'Inboxes'}).getByRole('option').count()).toBe(4);
	await page.getByRole('listbox', {name: 'Inboxes'}).focus();
	await pressing(page, ['g']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('All inboxes');
	await pressing(page, ['j', 'ArrowDown']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('second');
	await pressing(page, ['k']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('third');
	await pressing(page, ['G']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('first');
	await pressing(page, ['k', 'u']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('first');
	await page.getByRole('option', {name: /three/}).waitFor();

	await pressing(page, ['l']);
	expect(await placeInFocus(page)).toBe('messages');
	await pressing(page, ['j']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('three');
	await pressing(page, ['j']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('two');
	await pressing(page, ['G']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('one');
	await pressing(page, ['g']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('three');

	await pressing(page, ['Enter']);
	await expect.poll(async () => placeInFocus(page)).toBe('message');
	await expect.poll(async () => tab(page).textContent()).toBe('HTML');
	const tabs = ['Text', 'HTML', 'Headers', 'Attachments 1', 'Codes & links', 'Source', 'SMTP', 'Webhooks'];
	for (const [index, words] of tabs.entries()) {
		await pressing(page, [String(index + 1)]);
		await expect.poll(async () => tab(page).textContent()).toContain(words);
	}

	await pressing(page, [']']);
	await expect.poll(async () => tab(page).textContent()).toBe('Text');
	await pressing(page, ['[', 'e']);
	await expect.poll(async () => tab(page).textContent()).toBe('Source');
	for (const [key, filename] of [
		['s', 'three.txt'],
		['S', '.eml'],
	] as const) {
		const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press(key)]);
		expect(download.suggestedFilename()).toContain(filename);
	}

	const [opened] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('o')]);
	await opened.getByRole('heading', {name: 'three'}).waitFor();
	await opened.close();
	await pressing(page, ['h']);
	expect(await placeInFocus(page)).toBe('messages');
	await pressing(page, ['Escape']);
	expect(await placeInFocus(page)).toBe('inboxes');
});

webTest('keys filter, follow, copy and delete', async ({web, page, person: {api}}) => {
	const {email_address: address} = await api.inboxes.create({name: 'orders'});
	await api.inboxes.create({name: 'others'});
	await web.send(address, {subject: 'Order 1', text: 'Your code is 481216.'});
	await page.getByRole('option', {name: /orders/}).click();
	await page.getByRole('option', {name: /Order 1/}).waitFor();
	await page.getByRole('listbox', {name: 'Messages'}).focus();

	await pressing(page, ['f']);
	await page.getByRole('button', {name: 'Auto-open new mail', pressed: true}).waitFor();
	await web.send(address, {subject: 'Order 2', text: 'Your code is 907034.'});
	await page.getByRole('heading', {name: 'Order 2'}).waitFor();

	await page.getByRole('listbox', {name: 'Messages'}).focus();
	await pressing(page, ['/']);
	await page.keyboard.type('nothing');
	await page.keyboard.press('Enter');
	await expect.poll(async () => page.getByRole('option', {name: /Order 1/}).count()).toBe(0);
	await pressing(page, ['Escape', 'Escape']);
	await page.getByRole('option', {name: /Order 1/}).waitFor();

	await pressing(page, ['y']);
	const menu = page.getByRole('dialog', {name: 'Copy'});
	await menu.getByRole('button', {name: /address/}).waitFor();
	await pressing(page, ['c']);
	await page.getByText('Copied 907034').waitFor();
	expect(await page.evaluate('navigator.clipboard.readText()')).toBe('907034');

	await pressing(page, ['d']);
	await page.getByRole('button', {name: 'Undo'}).waitFor();
	await expect.poll(async () => page.getByRole('option', {name: /Order 2/}).count()).toBe(0);
	await pressing(page, ['u']);
	const said = await page.getByText('No inbox has new mail.').boundingBox();
	const undo = await page.getByRole('button', {name: 'Undo'}).boundingBox();
	expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(undo?.y ?? 0);
	await page.getByRole('button', {name: 'Undo'}).click();
	await page.getByRole('option', {name: /Order 2/}).waitFor();

	await page.getByRole('listbox', {name: 'Inboxes'}).focus();
	await pressing(page, ['n']);
	await page.getByRole('dialog', {name: 'New inbox'}).waitFor();
	await pressing(page, ['Escape', 'd']);
	await page.getByText(`Deleted the inbox ${address}`).waitFor();
});

webTest('keys lead to webhooks and faults and back, and help says all of them', async ({page, person: {api}}) => {
	await api.inboxes.create({name: 'orders'});
	await page.getByRole('option', {name: /orders/}).waitFor();
	await pressing(page, ['w']);
	await expect.poll(() => new URL(page.url()).pathname).toBe('/app/webhooks');
	await pressing(page, ['w']);
	await expect.poll(() => new URL(page.url()).pathname).toContain('/app/inboxes/');
	await pressing(page, ['F']);
	await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/faults$/);
	await pressing(page, ['F']);
	await expect.poll(() => new URL(page.url()).pathname).not.toMatch(/\/faults$/);

	await pressing(page, ['?']);
	const help = page.getByRole('dialog', {name: 'Keyboard shortcuts'});
	const shown = await help.locator('kbd').allTextContents();
	expect(shown).toEqual(expect.arrayContaining([...'jkgGlhwF/fund[]oesSrty?'].concat('space', 'esc', '1', '8')));
	await pressing(page, ['Escape']);
	await help.waitFor({state: 'detached'});
	await page.getByRole('button', {name: 'New inbox'}).focus();
	await page.keyboard.press('Enter');
	await page.getByRole('dialog', {name: 'New inbox'}).waitFor();
});
