import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {heard, tabTo} from './heard.js';
import {type WebWorld, webTest} from './web-world.js';

/** What was copied last. */
const copied = async (page: Page) => String(await page.evaluate('navigator.clipboard.readText()'));

const expectHeard = async (page: Page, wanted: string | RegExp) =>
	expect.poll(async () => heard(page)).toEqual(expect.stringMatching(wanted));

async function pressing(page: Page, ...keys: readonly string[]): Promise<void> {
	for (const key of keys) {
		await page.keyboard.press(key);
	}
}

const send = async (web: WebWorld, to: string, code: string) =>
	web.send(to, {subject: `Code ${code}`, text: `Welcome. Your code is ${code}.`});

webTest('a sign-up is tested by Tab, arrows and Enter alone', async ({web, page, person}) => {
	web.tolerate(/status of 401/);
	await page.getByText('tinbox inbox create').first().waitFor();
	await pressing(page, 'Tab');
	await expectHeard(page, /^button "Skip to content"$/);
	await pressing(page, 'Enter');
	await expectHeard(page, /^navigation "Inboxes"$/);
	await pressing(page, 'Tab');
	await expectHeard(page, /^button "New inbox"$/);
	await pressing(page, 'Enter');
	await expectHeard(page, /^textbox "Name"$/);
	await page.keyboard.type('sign-up');
	await pressing(page, 'Enter');
	await expectHeard(page, /^region "Messages"$/);

	await pressing(page, 'Tab');
	await expectHeard(page, /^button "Copy address of the inbox"$/);
	await pressing(page, 'Enter');
	await expect.poll(async () => copied(page)).toMatch(/@tinbox\.test$/);
	await send(web, await copied(page), '482193');
	await page.getByRole('option', {name: /482193/}).waitFor();
	await tabTo(page, 'listbox "Messages"');
	await pressing(page, 'ArrowDown');
	await expectHeard(page, /^option ".*Code 482193/);
	await pressing(page, 'Enter');
	await expectHeard(page, /^tabpanel "Text"$/);
	await pressing(page, 'Shift+Tab');
	await expectHeard(page, /^tab "Text"$/);
	await pressing(page, 'ArrowRight', 'ArrowRight');
	await expectHeard(page, /^tab "Attachments"$/);
	await pressing(page, 'ArrowRight');
	await expectHeard(page, /^tab "Codes & links 1"$/);
	await pressing(page, 'Tab', 'Tab');
	await expectHeard(page, /^button "Copy the code 482193"$/);
	await pressing(page, 'Enter');
	await expect.poll(async () => copied(page)).toBe('482193');

	await tabTo(page, 'button "Delete"', 'Shift+Tab');
	await pressing(page, 'Enter');
	await expectHeard(page, /^button "Undo"$/);
	await pressing(page, 'Enter');
	await page.getByRole('option', {name: /482193/}).waitFor();
	await expectHeard(page, /^listbox "Messages"$/);

	await tabTo(page, 'button "Log out"', 'Shift+Tab');
	await pressing(page, 'Enter');
	await expectHeard(page, /^textbox "API key or token"$/);
	await page.keyboard.type(person.key);
	await pressing(page, 'Enter');
	await expectHeard(page, /^listbox "Messages"$/);
});

webTest('a sign-up is tested by the keys of the app alone', async ({web, page, person: {api}}) => {
	await api.inboxes.create({name: 'older'});
	await page.getByRole('option', {name: /older/}).waitFor();
	await pressing(page, 'n');
	await expectHeard(page, /^textbox "Name"$/);
	await page.keyboard.type('sign-up');
	await pressing(page, 'Enter');
	await expectHeard(page, /^region "Messages"$/);
	await pressing(page, 'y');
	await expect.poll(async () => copied(page)).toMatch(/@tinbox\.test$/);
	await send(web, await copied(page), '907034');
	// The list takes the keyboard from its pane as soon as there is one.
	await expectHeard(page, /^listbox "Messages"$/);
	await pressing(page, 'j');
	await expectHeard(page, /^option ".*Code 907034/);
	await pressing(page, 'Enter');
	await expectHeard(page, /^tabpanel "Text"$/);
	await pressing(page, 'y');
	await expectHeard(page, /^button "code"$/);
	await pressing(page, 'c');
	await expect.poll(async () => copied(page)).toBe('907034');
	await expectHeard(page, /^tabpanel "Text"$/);

	await pressing(page, 'd');
	await expectHeard(page, /^region "Messages"$/);
	await pressing(page, 'z');
	await expectHeard(page, /^listbox "Messages"$/);
	await pressing(page, '?');
	await expectHeard(page, /^button "Close"$/);
	await pressing(page, 'Escape');
	await expectHeard(page, /^listbox "Messages"$/);
	await pressing(page, 'h');
	await expectHeard(page, /^option "sign-up/);
	await pressing(page, 'd');
	await expectHeard(page, /^option "older/);
	await pressing(page, 'z', 'w');
	await expect.poll(async () => page.title()).toBe('Webhooks – tinbox');
	expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
});
