import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {type WebWorld, webTest} from './web-world.js';

const listOf = (page: Page) => page.getByRole('listbox', {name: 'Messages'});
const rows = (page: Page) => listOf(page).getByRole('option');
const subjects = async (page: Page) => listOf(page).locator('.subject').allTextContents();

/** Sends one mail per subject, in order. */
async function send(web: WebWorld, to: string, ...subjects: readonly string[]): Promise<void> {
	for (const subject of subjects) {
		await web.send(to, {subject});
	}
}

/** The subjects `<word> 1` to `<word> <count>`. */
const numbered = (word: string, count: number) => Array.from({length: count}, (_, index) => `${word} ${index + 1}`);

/** Subject and offset of the first row in view. */
async function firstRowInView(page: Page) {
	return page.evaluate<{readonly subject: string; readonly y: number} | undefined>(`(() => {
		const list = document.querySelector('.mail-rows');
		return [...list.querySelectorAll('.mail-row')]
			.map(row => ({
				subject: row.querySelector('.subject')?.textContent,
				y: row.getBoundingClientRect().y - list.getBoundingClientRect().y,
			}))
			.filter(({y}) => y > -1)
			.sort((one, other) => one.y - other.y)[0];
	})()`);
}

async function scrollTo(page: Page, pixels: number): Promise<void> {
	await page.evaluate(`document.querySelector('.mail-rows').scrollTo(0, ${pixels})`);
}

webTest(
	'an empty inbox shows commands that send mail, and new mail appears live',
	async ({web, page, person: {api}}) => {
		const inbox = await api.inboxes.create({name: 'signup'});
		await page.goto(`${web.site}/app/inboxes/${inbox.id}`);
		await page.getByText('Waiting for mail to').waitFor();
		const line = page.locator('.line', {hasText: 'swaks'}).locator('pre');
		await expect
			.poll(async () => line.textContent())
			.toBe(`swaks --server ${web.smtp.host}:${web.smtp.port} --to ${inbox.email_address}`);
		await send(web, inbox.email_address, 'First', 'Second');
		await expect.poll(async () => subjects(page)).toEqual(['Second', 'First']);
		expect(await rows(page).first().getAttribute('class')).toContain('new');
		await rows(page).first().click();
		await expect.poll(async () => rows(page).first().getAttribute('aria-selected')).toBe('true');
		await expect.poll(async () => rows(page).first().getAttribute('class')).not.toContain('new');
		expect(new URL(page.url()).pathname).toContain(`/app/inboxes/${inbox.id}/messages/`);
		await page.goBack();
		await expect.poll(async () => rows(page).first().getAttribute('aria-selected')).toBe('false');
	},
);

webTest('new mail does not move the rows in view, and a button shows it', async ({web, page, person: {api}}) => {
	const inbox = await api.inboxes.create();
	await send(web, inbox.email_address, ...numbered('Mail', 40));
	await page.goto(`${web.site}/app/inboxes/${inbox.id}`);
	await rows(page).first().waitFor();
	await scrollTo(page, 900);
	await expect.poll(async () => (await firstRowInView(page))?.subject).toBe('Mail 23');
	const before = await firstRowInView(page);
	await send(web, inbox.email_address, 'New 1', 'New 2', 'New 3');
	const button = page.getByRole('button', {name: '3 new'});
	await button.waitFor();
	expect(await firstRowInView(page)).toEqual(before);
	await button.click();
	await expect.poll(async () => firstRowInView(page)).toEqual({subject: 'New 3', y: 0});
	await expect.poll(async () => button.count()).toBe(0);
	// At the top, new mail moves the rows, unless a message is open.
	await send(web, inbox.email_address, 'New 4');
	await expect.poll(async () => firstRowInView(page)).toEqual({subject: 'New 4', y: 0});
	await rows(page).nth(1).click();
	await send(web, inbox.email_address, 'New 5');
	await page.getByRole('button', {name: '1 new'}).waitFor();
	expect(await firstRowInView(page)).toEqual({subject: 'New 4', y: 0});
	await page.getByRole('button', {name: 'Auto-open new mail'}).click();
	await send(web, inbox.email_address, 'New 6');
	const open = listOf(page).locator('[aria-selected=true] .subject');
	await expect.poll(async () => open.textContent()).toBe('New 6');
	await send(web, inbox.email_address, 'New 7');
	await expect.poll(async () => open.textContent()).toBe('New 7');
});

webTest('filters are stored in the URL, and matches are highlighted', async ({web, page, person: {api}}) => {
	web.tolerate(/400 \(Bad Request\)/);
	const [one, other] = [await api.inboxes.create(), await api.inboxes.create()];
	await send(web, one.email_address, 'Confirm your sign-up', 'Your code is 482193', 'Reset');
	await send(web, other.email_address, 'CONFIRM it');
	await page.goto(`${web.site}/app/mail`);
	await expect.poll(async () => (await subjects(page)).length).toBe(4);
	await page.getByLabel('Filter by subject').fill('confirm');
	await expect.poll(async () => subjects(page)).toEqual(['CONFIRM it', 'Confirm your sign-up']);
	expect(await listOf(page).locator('mark').allTextContents()).toEqual(['CONFIRM', 'Confirm']);
	expect(new URL(page.url()).search).toBe('?q=confirm');
	await send(web, one.email_address, 'Other', 'Please confirm');
	await expect.poll(async () => (await subjects(page))[0]).toBe('Please confirm');
	await page.reload();
	await expect.poll(async () => (await subjects(page)).length).toBe(3);

	await page.getByRole('button', {name: 'Clear'}).click();
	await page.getByRole('button', {name: 'Filters'}).click();
	await page.getByLabel('code').check();
	await expect.poll(async () => subjects(page)).toEqual(['Your code is 482193']);
	await page.getByLabel('code').uncheck();
	await page.getByLabel('Match').selectOption('pattern');
	await page.getByLabel('Subject', {exact: true}).fill('/(/');
	await page.getByText('"subject" is not a valid regular expression').waitFor();
	await page.getByLabel('Subject', {exact: true}).fill('/^Re.et$/');
	await expect.poll(async () => subjects(page)).toEqual(['Reset']);
	await page.getByLabel('Subject', {exact: true}).fill('nothing like it');
	await page.getByText('No messages match the filter.').waitFor();
	await page.getByRole('button', {name: 'Clear filter'}).click();
	await expect.poll(async () => (await subjects(page)).length).toBe(6);
});

webTest('a delete can be undone, and is sent when the page is closed', async ({web, page, person: {api}}) => {
	const inbox = await api.inboxes.create({name: 'signup'});
	await send(web, inbox.email_address, 'First', 'Second');
	await page.goto(`${web.site}/app/inboxes/${inbox.id}`);
	await rows(page).first().waitFor();
	const undo = page.getByRole('button', {name: 'Undo'});
	await page.getByRole('button', {name: 'Delete all messages'}).click();
	await page.getByText('Waiting for mail to').waitFor();
	await undo.click();
	await expect.poll(async () => subjects(page)).toEqual(['Second', 'First']);
	await page.getByRole('button', {name: 'Delete inbox'}).click();
	await expect.poll(async () => page.getByRole('option', {name: 'signup'}).count()).toBe(0);
	await undo.click();
	await page.getByRole('option', {name: 'signup'}).click();
	await expect.poll(async () => subjects(page)).toEqual(['Second', 'First']);

	const count = page.getByRole('listbox', {name: 'Inboxes'}).locator('.counts');
	await rows(page).first().click();
	await page.getByRole('button', {name: 'Delete', exact: true}).click();
	await undo.waitFor();
	await expect.poll(async () => count.textContent()).toBe('1 message');
	const [remaining] = (await api.messages.list(inbox.id)).slice(1);
	const showsRemaining = () => page.url().endsWith(`/messages/${remaining?.id}`);
	await expect.poll(showsRemaining).toBe(true);
	await page.reload();
	await page.getByRole('heading', {name: 'First'}).waitFor();
	await expect.poll(async () => api.messages.list(inbox.id)).toHaveLength(1);
	expect(showsRemaining()).toBe(true);

	await page.getByRole('button', {name: 'Delete all messages'}).click();
	await undo.waitFor();
	await expect.poll(async () => count.textContent()).toBe('0 messages');
	expect(await api.messages.list(inbox.id)).toHaveLength(1);
	await page.goto('about:blank');
	await expect.poll(async () => api.messages.list(inbox.id)).toEqual([]);
});

webTest(
	'a delete that is not undone is sent after a delay, and the row stays deleted',
	async ({web, page, person: {api}}) => {
		const inbox = await api.inboxes.create();
		await send(web, inbox.email_address, 'First', 'Second', 'Third');
		await page.goto(`${web.site}/app/inboxes/${inbox.id}`);
		await rows(page).nth(1).click();
		await page.getByRole('button', {name: 'Delete', exact: true}).click();
		await expect.poll(async () => subjects(page)).toEqual(['Third', 'First']);
		const open = listOf(page).locator('[aria-selected=true] .subject');
		await expect.poll(async () => open.textContent()).toBe('First');
		await expect.poll(async () => (await api.messages.list(inbox.id)).length).toBe(2);
		await expect.poll(async () => page.getByRole('button', {name: 'Undo'}).count()).toBe(0);
		expect(await subjects(page)).toEqual(['Third', 'First']);
	},
);

webTest('a list of 230 messages loads only the pages in view', async ({web, page, person: {api}}) => {
	const inbox = await api.inboxes.create();
	await send(web, inbox.email_address, ...numbered('Mail', 230));
	const queries: string[] = [];
	page.on('request', request => {
		const {pathname, search} = new URL(request.url());
		if (pathname.endsWith('/messages')) {
			queries.push(search);
		}
	});
	await page.goto(`${web.site}/app/inboxes/${inbox.id}`);
	await rows(page).first().waitFor();
	await scrollTo(page, 1e6);
	await expect.poll(async () => (await subjects(page)).at(-1)).toBe('Mail 1');
	expect(queries.map(search => new URLSearchParams(search).get('page'))).toEqual(['1', '5']);
	expect(await rows(page).count()).toBeLessThan(40);
});
