import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

const rows = (page: Page) => page.getByRole('listbox', {name: 'Inboxes'}).getByRole('option');
const namesIn = async (page: Page) => rows(page).locator('.name').allTextContents();
const selectedIn = async (page: Page) => page.locator('[aria-selected=true] .name').allTextContents();

webTest('a new inbox is selected, and its address and SMTP login can be copied', async ({web, page, person}) => {
	web.tolerate(/400 \(Bad Request\)/);
	await page.getByText('tinbox inbox create').waitFor();
	await page.getByRole('button', {name: 'New inbox'}).click();
	const dialog = page.getByRole('dialog', {name: 'New inbox'});
	await dialog.getByLabel('Address').fill('no address');
	await dialog.getByLabel('Lifetime').fill('7d');
	await dialog.getByRole('button', {name: 'Create'}).click();
	await dialog.getByText('Address must be an address, "*@domain", or "*".').waitFor();
	await dialog.getByLabel('Address').fill('sign-up@example.com');
	await dialog.getByLabel('Name').fill('Sign-up');
	await dialog.getByRole('button', {name: 'Create'}).click();
	await page.getByRole('heading', {name: 'Sign-up'}).waitFor();
	const {inboxes} = await person.api.inboxes.list();
	expect(inboxes).toMatchObject([{name: 'Sign-up', email_address: 'sign-up@example.com'}]);
	expect(Date.parse(inboxes[0]?.expires_at ?? '')).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
	expect(new URL(page.url()).pathname).toBe(`/app/inboxes/${inboxes[0]?.id}`);
	await page.getByRole('button', {name: 'Copy address'}).click();
	await page.getByText('Copied sign-up@example.com').waitFor();
	expect(await page.evaluate('navigator.clipboard.readText()')).toBe('sign-up@example.com');
	await page.getByRole('button', {name: 'SMTP login'}).click();
	const {password} = await person.api.inboxes.credentials(inboxes[0]?.id ?? '');
	await page.getByRole('dialog', {name: 'SMTP login'}).getByText(password, {exact: true}).waitFor();
});

webTest('inboxes and message counts are updated live', async ({web, page, person: {api}}) => {
	const [first, second] = [await api.inboxes.create({name: 'first'}), await api.inboxes.create({name: 'second'})];
	await expect.poll(async () => namesIn(page)).toEqual(['All inboxes', 'second', 'first']);
	await web.send(first.email_address);
	await web.send(first.email_address);
	await expect.poll(async () => rows(page).nth(2).locator('.counts').textContent()).toBe('+2 new of 2 messages');
	await expect.poll(async () => page.title()).toMatch(/^\(2\) (?:first|second) – tinbox$/);
	const arrivals = page.getByRole('status', {name: 'New mail'});
	await expect.poll(async () => arrivals.textContent()).toMatch(/^\d new messages? in first$/);
	await rows(page).nth(1).click();
	expect(await selectedIn(page)).toEqual(['second']);
	await api.inboxes.delete(second.id);
	await page.getByText('This inbox no longer exists.').waitFor();
	await expect.poll(async () => selectedIn(page)).toEqual(['first']);
	expect(new URL(page.url()).pathname).toBe(`/app/inboxes/${first.id}`);
});

webTest(
	'a long list of inboxes renders only the rows in view, scrolls to the selected inbox, and can be filtered',
	async ({web, page, person: {api}}) => {
		const made = await Promise.all(Array.from({length: 150}, async (_, n) => api.inboxes.create({name: `box ${n}`})));
		for (const name of ['orders', 'Billing', 'billing of May']) {
			await api.inboxes.create({name});
		}

		await expect.poll(async () => page.locator('.list-head .count').textContent()).toBe('153');
		expect(await rows(page).count()).toBeLessThan(60);
		const {inboxes} = await api.inboxes.list({page: 2, limit: 70});
		const last = inboxes.at(-1);
		expect(made.map(({id}) => id)).toContain(last?.id);
		await page.goto(`${web.site}/app/inboxes/${last?.id}`);
		await expect.poll(async () => selectedIn(page)).toEqual([last?.name]);
		const box = await page.locator('.inbox-row[aria-selected=true]').boundingBox();
		expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThan(901);
		await page.getByLabel('Filter inboxes').fill('BILL');
		expect(await namesIn(page)).toEqual(['billing of May', 'Billing']);
		expect(await page.locator('.inbox-row mark').allTextContents()).toEqual(['bill', 'Bill']);
		await page.getByLabel('Filter inboxes').press('Enter');
		expect(await selectedIn(page)).toEqual(['billing of May']);
		await page.getByLabel('Filter inboxes').fill('nothing like it');
		await page.getByText('No inboxes match the filter.').waitFor();
		await page.getByLabel('Filter inboxes').press('Escape');
		expect(await page.locator('.list-head .count').textContent()).toBe('153');
	},
);

webTest('a login after a logout returns to the same URL in all tabs', async ({web, page, person: {api, key}}) => {
	const inbox = await api.inboxes.create({name: 'first'});
	await api.inboxes.create({name: 'second'});
	await rows(page).filter({hasText: 'first'}).click();
	const url = page.url();
	web.tolerate(/401/);
	const {web_sessions: sessions} = await api.webSessions.list();
	await Promise.all(sessions.map(async ({id}) => api.webSessions.end(id)));
	await page.getByLabel('API key or token').fill('tbx_live_wrong');
	await page.getByRole('button', {name: 'Log in'}).click();
	await page.getByRole('alert').filter({hasText: /./}).waitFor();
	expect(await page.content()).not.toContain(inbox.email_address);
	await page.getByLabel('API key or token').fill(key);
	await page.getByRole('button', {name: 'Log in'}).click();
	await page.getByRole('heading', {name: 'first'}).waitFor();
	expect(page.url()).toBe(url);
	await page.reload();
	await page.getByRole('heading', {name: 'first'}).waitFor();
	await page.getByRole('button', {name: 'Log out'}).click();
	await page.getByLabel('API key or token').waitFor();
	await page.reload();
	await page.getByLabel('API key or token').waitFor();
	expect(await api.webSessions.list()).toEqual({web_sessions: []});
	const other = await page.context().newPage();
	await other.goto(url);
	await page.getByLabel('API key or token').fill(key);
	await page.getByRole('button', {name: 'Log in'}).click();
	await other.getByRole('heading', {name: 'first'}).waitFor();
});

webTest(
	'browser history works, a narrow window shows one pane, and the chosen theme is kept',
	async ({page, person: {api}}) => {
		await api.inboxes.create({name: 'first'});
		await api.inboxes.create({name: 'second'});
		await rows(page).filter({hasText: 'All inboxes'}).click();
		await rows(page).filter({hasText: 'first'}).click();
		await page.goBack();
		expect(await selectedIn(page)).toEqual(['All inboxes']);
		await page.goForward();
		expect(await selectedIn(page)).toEqual(['first']);
		await page.getByRole('link', {name: 'Webhooks'}).click();
		await page.getByRole('link', {name: 'Mail', exact: true}).click();
		expect(await selectedIn(page)).toEqual(['first']);
		await page.setViewportSize({width: 375, height: 700});
		expect(await rows(page).first().isVisible()).toBe(false);
		await page.getByRole('link', {name: 'Inboxes'}).click();
		expect(new URL(page.url()).pathname).toBe('/app/');
		await rows(page).filter({hasText: 'second'}).click();
		await page.getByRole('heading', {name: 'second'}).waitFor();
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
		await page.setViewportSize({width: 320, height: 700}); // WCAG 1.4.10: a zoom of 400 %.
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

		const background = async () => page.evaluate('getComputedStyle(document.body).backgroundColor');
		await page.emulateMedia({colorScheme: 'dark'});
		const dark = await background();
		await page.emulateMedia({colorScheme: 'light'});
		expect(await background()).not.toBe(dark);
		await page.getByRole('button', {name: /Theme/}).click();
		await page.getByRole('button', {name: /Theme/}).click();
		expect(await background()).toBe(dark);
		await page.reload();
		await page.getByRole('button', {name: /Theme: dark/}).waitFor();
		expect(await background()).toBe(dark);
	},
);
