import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {announced, tabTo} from './screen-reader.js';
import {type WebWorld, webTest} from './web-world.js';

const clipboard = async (page: Page) => String(await page.evaluate('navigator.clipboard.readText()'));

const expectAnnounced = async (page: Page, expected: string | RegExp) =>
	expect.poll(async () => announced(page)).toEqual(expect.stringMatching(expected));

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
	}
}

const send = async (web: WebWorld, to: string, code: string) =>
	web.send(to, {subject: `Code ${code}`, text: `Welcome. Your code is ${code}.`});

webTest('a sign-up is tested in the web app with Tab, arrow keys and Enter only', async ({web, page, person}) => {
	web.tolerate(/status of 401/);
	await page.getByText('tinbox inbox create').first().waitFor();
	await press(page, 'Tab');
	await expectAnnounced(page, /^button "Skip to content"$/);
	await press(page, 'Enter');
	await expectAnnounced(page, /^navigation "Inboxes"$/);
	await press(page, 'Tab');
	await expectAnnounced(page, /^button "New inbox"$/);
	await press(page, 'Enter');
	await expectAnnounced(page, /^textbox "Name"$/);
	await page.keyboard.type('sign-up');
	await press(page, 'Enter');
	await expectAnnounced(page, /^region "Messages"$/);

	await press(page, 'Tab');
	await expectAnnounced(page, /^button "Copy address of the inbox"$/);
	await press(page, 'Enter');
	await expect.poll(async () => clipboard(page)).toMatch(/@tinbox\.test$/);
	await send(web, await clipboard(page), '482193');
	await page.getByRole('option', {name: /482193/}).waitFor();
	await tabTo(page, 'listbox "Messages"');
	await press(page, 'ArrowDown');
	await expectAnnounced(page, /^option ".*Code 482193/);
	await press(page, 'Enter');
	await expectAnnounced(page, /^tabpanel "Text"$/);
	await press(page, 'Shift+Tab');
	await expectAnnounced(page, /^tab "Text"$/);
	await press(page, 'ArrowRight', 'ArrowRight');
	await expectAnnounced(page, /^tab "Attachments"$/);
	await press(page, 'ArrowRight');
	await expectAnnounced(page, /^tab "Codes & links 1"$/);
	await press(page, 'Tab', 'Tab');
	await expectAnnounced(page, /^button "Copy the code 482193"$/);
	await press(page, 'Enter');
	await expect.poll(async () => clipboard(page)).toBe('482193');

	await tabTo(page, 'button "Delete"', 'Shift+Tab');
	await press(page, 'Enter');
	await expectAnnounced(page, /^button "Undo"$/);
	await press(page, 'Enter');
	await page.getByRole('option', {name: /482193/}).waitFor();
	await expectAnnounced(page, /^listbox "Messages"$/);

	await tabTo(page, 'button "Log out"', 'Shift+Tab');
	await press(page, 'Enter');
	await expectAnnounced(page, /^textbox "API key or token"$/);
	await page.keyboard.type(person.key);
	await press(page, 'Enter');
	await expectAnnounced(page, /^listbox "Messages"$/);
});

webTest('a sign-up is tested in the web app with its shortcut keys only', async ({web, page, person: {api}}) => {
	await api.inboxes.create({name: 'older'});
	await page.getByRole('option', {name: /older/}).waitFor();
	await press(page, 'n');
	await expectAnnounced(page, /^textbox "Name"$/);
	await page.keyboard.type('sign-up');
	await press(page, 'Enter');
	await expectAnnounced(page, /^region "Messages"$/);
	await press(page, 'y');
	await expect.poll(async () => clipboard(page)).toMatch(/@tinbox\.test$/);
	await send(web, await clipboard(page), '907034');
	// The list takes the focus from its pane when the first message arrives.
	await expectAnnounced(page, /^listbox "Messages"$/);
	await press(page, 'j');
	await expectAnnounced(page, /^option ".*Code 907034/);
	await press(page, 'Enter');
	await expectAnnounced(page, /^tabpanel "Text"$/);
	await press(page, 'y');
	await expectAnnounced(page, /^button "code"$/);
	await press(page, 'c');
	await expect.poll(async () => clipboard(page)).toBe('907034');
	await expectAnnounced(page, /^tabpanel "Text"$/);

	await press(page, 'd');
	await expectAnnounced(page, /^region "Messages"$/);
	await press(page, 'z');
	await expectAnnounced(page, /^listbox "Messages"$/);
	await press(page, '?');
	await expectAnnounced(page, /^button "Close"$/);
	await press(page, 'Escape');
	await expectAnnounced(page, /^listbox "Messages"$/);
	await press(page, 'h');
	await expectAnnounced(page, /^option "sign-up/);
	await press(page, 'd');
	await expectAnnounced(page, /^option "older/);
	await press(page, 'z', 'w');
	await expect.poll(async () => page.title()).toBe('Webhooks – tinbox');
	expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
});
