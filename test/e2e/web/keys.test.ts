import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

const option = (page: Page, list: string) => page.getByRole('listbox', {name: list}).locator('[aria-selected=true]');
const tab = (page: Page) => page.locator('[role=tab][aria-selected=true]');
const focusedPane = async (page: Page) => page.evaluate('document.activeElement.closest("[data-pane]")?.dataset.pane');

async function press(page: Page, keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
	}
}

webTest('shortcut keys move through inboxes, messages and tabs', async ({web, page, person: {api}}) => {
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
	await press(page, ['g']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('All inboxes');
	await press(page, ['j', 'ArrowDown']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('second');
	await press(page, ['k']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('third');
	await press(page, ['G']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('first');
	await press(page, ['k', 'u']);
	await expect.poll(async () => option(page, 'Inboxes').textContent()).toContain('first');
	await page.getByRole('option', {name: /three/}).waitFor();

	await press(page, ['l']);
	expect(await focusedPane(page)).toBe('messages');
	await press(page, ['j']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('three');
	await press(page, ['j']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('two');
	await press(page, ['G']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('one');
	await press(page, ['g']);
	await expect.poll(async () => option(page, 'Messages').textContent()).toContain('three');

	await press(page, ['Enter']);
	await expect.poll(async () => focusedPane(page)).toBe('message');
	await expect.poll(async () => tab(page).textContent()).toBe('HTML');
	const tabs = ['Text', 'HTML', 'Headers', 'Attachments 1', 'Codes & links', 'Source', 'SMTP', 'Webhooks'];
	for (const [index, words] of tabs.entries()) {
		await press(page, [String(index + 1)]);
		await expect.poll(async () => tab(page).textContent()).toContain(words);
	}

	await press(page, [']']);
	await expect.poll(async () => tab(page).textContent()).toBe('Text');
	await press(page, ['[', 'e']);
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
	await press(page, ['h']);
	expect(await focusedPane(page)).toBe('messages');
	await press(page, ['Escape']);
	expect(await focusedPane(page)).toBe('inboxes');
});

webTest('shortcut keys filter, auto-open, copy and delete', async ({web, page, person: {api}}) => {
	const {email_address: address} = await api.inboxes.create({name: 'orders'});
	await api.inboxes.create({name: 'others'});
	await web.send(address, {subject: 'Order 1', text: 'Your code is 481216.'});
	await page.getByRole('option', {name: /orders/}).click();
	await page.getByRole('option', {name: /Order 1/}).waitFor();
	await page.getByRole('listbox', {name: 'Messages'}).focus();

	await press(page, ['f']);
	await page.getByRole('button', {name: 'Auto-open new mail', pressed: true}).waitFor();
	await web.send(address, {subject: 'Order 2', text: 'Your code is 907034.'});
	await page.getByRole('heading', {name: 'Order 2'}).waitFor();

	await page.getByRole('listbox', {name: 'Messages'}).focus();
	await press(page, ['/']);
	await page.keyboard.type('nothing');
	await page.keyboard.press('Enter');
	await expect.poll(async () => page.getByRole('option', {name: /Order 1/}).count()).toBe(0);
	await press(page, ['Escape', 'Escape']);
	await page.getByRole('option', {name: /Order 1/}).waitFor();

	await press(page, ['y']);
	const menu = page.getByRole('dialog', {name: 'Copy'});
	await menu.getByRole('button', {name: /address/}).waitFor();
	await press(page, ['c']);
	await page.getByText('Copied 907034').waitFor();
	expect(await page.evaluate('navigator.clipboard.readText()')).toBe('907034');

	await press(page, ['d']);
	await page.getByRole('button', {name: 'Undo'}).waitFor();
	await expect.poll(async () => page.getByRole('option', {name: /Order 2/}).count()).toBe(0);
	await press(page, ['u']);
	const notice = await page.getByText('No inbox has new mail.').boundingBox();
	const undo = await page.getByRole('button', {name: 'Undo'}).boundingBox();
	expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThan(undo?.y ?? 0);
	await page.getByRole('button', {name: 'Undo'}).click();
	await page.getByRole('option', {name: /Order 2/}).waitFor();

	await page.getByRole('listbox', {name: 'Inboxes'}).focus();
	await press(page, ['n']);
	await page.getByRole('dialog', {name: 'New inbox'}).waitFor();
	await press(page, ['Escape', 'd']);
	await page.getByText(`Deleted the inbox ${address}`).waitFor();
});

webTest(
	'shortcut keys open and close webhooks and faults, and the help dialog lists all shortcuts',
	async ({page, person: {api}}) => {
		await api.inboxes.create({name: 'orders'});
		await page.getByRole('option', {name: /orders/}).waitFor();
		await press(page, ['w']);
		await expect.poll(() => new URL(page.url()).pathname).toBe('/app/webhooks');
		await press(page, ['w']);
		await expect.poll(() => new URL(page.url()).pathname).toContain('/app/inboxes/');
		await press(page, ['F']);
		await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/faults$/);
		await press(page, ['F']);
		await expect.poll(() => new URL(page.url()).pathname).not.toMatch(/\/faults$/);

		await press(page, ['?']);
		const help = page.getByRole('dialog', {name: 'Keyboard shortcuts'});
		const shown = await help.locator('kbd').allTextContents();
		expect(shown).toEqual(expect.arrayContaining([...'jkgGlhwF/fund[]oesSrty?'].concat('space', 'esc', '1', '8')));
		await press(page, ['Escape']);
		await help.waitFor({state: 'detached'});
		await page.getByRole('button', {name: 'New inbox'}).focus();
		await page.keyboard.press('Enter');
		await page.getByRole('dialog', {name: 'New inbox'}).waitFor();
	},
);
