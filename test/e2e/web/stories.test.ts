import type {Locator, Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

async function clipboard(page: Page): Promise<string> {
	return String(await page.evaluate('navigator.clipboard.readText()'));
}

function inboxes(page: Page): Locator {
	return page.getByRole('listbox', {name: 'Inboxes'}).getByRole('option');
}

function messages(page: Page): Locator {
	return page.getByRole('listbox', {name: 'Messages'}).getByRole('option');
}

/** The visible frame with the mail; the inert frame is used to measure its height. */
const mailFrame = 'iframe:not([inert])';

webTest('a sign-up is tested in the web app: new inbox, mail, copied code', async ({web, page}) => {
	await page.getByRole('button', {name: 'New inbox'}).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Name').fill('signup');
	await dialog.getByRole('button', {name: 'Create'}).click();
	await page.getByRole('button', {name: 'Copy address'}).click();
	await expect.poll(async () => clipboard(page)).toMatch(/^\w+@tinbox\.test$/);
	await web.send(await clipboard(page), {
		subject: 'Confirm your sign-up',
		text: 'Welcome. Your code is 482193.',
		html: '<h1>Welcome</h1><p>Your code is <b>482193</b>.</p>',
	});
	await messages(page).getByText('Confirm your sign-up').click();
	await page.frameLocator(mailFrame).getByText('Your code is 482193.').waitFor();
	await page.getByRole('tab', {name: 'Codes & links'}).click();
	await page.getByRole('tabpanel').getByRole('button', {name: 'Copy the code 482193'}).click();
	await expect.poll(async () => clipboard(page)).toBe('482193');
});

webTest(
	'members of a team see its inboxes from joining until removal, and no inboxes of each other',
	async ({web, page, person: ann}) => {
		// Requests for the inbox that is open when its user is removed.
		web.tolerate(/status of 404/);
		const bob = await web.person('bob');
		const {id: teamId} = await ann.api.teams.create({name: 'Shop'});
		await ann.api.inboxes.create({name: 'of ann'});
		const shop = await ann.api.inboxes.create({name: 'of the shop', team_id: teamId});
		await bob.api.inboxes.create({name: 'of bob'});
		const pageOfBob = await web.enter(bob);
		await inboxes(pageOfBob).getByText('of bob').waitFor();
		await inboxes(page).getByText('of the shop').waitFor();
		expect(await inboxes(pageOfBob).getByText('of the shop').count()).toBe(0);

		const {token} = await ann.api.teams.invite(teamId, {email: bob.email});
		await bob.api.teams.accept({token});
		await inboxes(pageOfBob).getByText('of the shop').click();
		await inboxes(page).getByText('of the shop').click();
		await web.send(shop.email_address, {subject: 'For both'});
		await messages(pageOfBob).getByText('For both').waitFor();
		await messages(page).getByText('For both').waitFor();
		expect(await inboxes(pageOfBob).getByText('of ann').count()).toBe(0);
		expect(await inboxes(page).getByText('of bob').count()).toBe(0);

		const me = await bob.api.users.me('key');
		await ann.api.teams.removeMember(teamId, me.id);
		await expect.poll(async () => inboxes(pageOfBob).getByText('of the shop').count()).toBe(0);
		await inboxes(page).getByText('of the shop').waitFor();
	},
);

webTest(
	'the page reports a killed daemon and continues without losing or repeating messages after its restart',
	async ({web, page, person}) => {
		web.tolerate(/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|CONNECTION_RESET)/);
		const inbox = await person.api.inboxes.create({name: 'signup'});
		await inboxes(page).getByText('signup').click();
		for (const subject of ['first', 'second']) {
			await web.send(inbox.email_address, {subject, text: `The ${subject} text`});
		}

		await messages(page).getByText('first').click();
		await page.getByText('The first text').waitFor();
		const {href} = new URL(page.url());
		const feedIs = async (status: string) => page.getByRole('banner').filter({hasText: status}).waitFor();
		const failure = page
			.getByRole('region', {name: 'Message'})
			.getByText('The daemon does not respond. Is it running? Start it with: tinbox daemon start');
		for (const subject of ['third', 'fourth']) {
			await web.kill();
			await feedIs('reconnecting');
			await page.getByText('The first text').waitFor();
			await messages(page).getByText('second').click();
			if (subject === 'third') {
				await failure.waitFor();
				expect(await failure.count()).toBe(1);
				expect(await page.locator('body').innerText()).not.toMatch(/fetch|network error/i);
				await page.getByRole('button', {name: 'Try again'}).click();
				await failure.waitFor();
			}

			await web.start();
			await page.getByText('The second text').waitFor();
			await messages(page).getByText('first').click();
			await web.send(inbox.email_address, {subject});
			await feedIs('live');
			await messages(page).getByText(subject).waitFor();
		}

		const subjects = ['fourth', 'third', 'second', 'first'];
		await expect.poll(async () => messages(page).count()).toBe(subjects.length);
		const rows = await messages(page).allInnerTexts();
		expect(rows.map(row => subjects.find(subject => row.includes(subject)))).toEqual(subjects);
		expect(page.url()).toBe(href);
		await page.getByText('The first text').waitFor();
		expect((await person.api.messages.list(inbox.id)).map(({subject}) => subject)).toEqual(subjects);
	},
);
