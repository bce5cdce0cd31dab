import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

/** The console reports each request that is rejected without a login. */
const unauthorized = /status of 401/;

/** Asserts that the page shows the login form and none of the hidden texts. */
async function expectLoginPage(page: Page, ...hidden: readonly string[]): Promise<void> {
	await page.getByLabel('API key or token').waitFor();
	for (const text of hidden) {
		expect(await page.getByText(text).count(), text).toBe(0);
	}
}

webTest(
	'revoking the API key logs the page out, which rejects invalid secrets and accepts a token',
	async ({web, page, person}) => {
		web.tolerate(unauthorized);
		await person.api.inboxes.create({name: 'private'});
		await page.getByText('private').first().waitFor();
		await person.api.keys.revoke(person.keyId);
		await expectLoginPage(page, 'private', person.email);
		const field = page.getByLabel('API key or token');
		for (const [secret, failure] of [
			[person.key, /API key/],
			['wrong', /API key|token/],
			['x'.repeat(100_000), 'This is not an API key or a token.'],
		] as const) {
			await field.fill(secret);
			await field.press('Enter');
			await page.getByRole('alert').getByText(failure).waitFor();
		}

		await field.fill(`  ${person.token} `);
		await page.getByRole('button', {name: 'Log in'}).click();
		await page.getByText('private').first().waitFor();
		expect(await page.evaluate('document.cookie')).toBe('');
	},
);

webTest('tinbox keys lists and revokes a web session, which logs the page out', async ({web, cli}) => {
	web.tolerate(unauthorized);
	await cli('inbox', 'create', '--name', 'private');
	const page = await (await web.browser()).newPage();
	await page.goto((await cli('open', '--no-browser')).stdout.trim());
	await page.getByText('private').first().waitFor();
	const {web_sessions: sessions} = JSON.parse((await cli('keys', 'list', '--json')).stdout);
	expect(sessions).toHaveLength(1);
	expect(await cli('keys', 'revoke', sessions[0].id)).toMatchObject({exitCode: 0});
	await expectLoginPage(page, 'private');
});

webTest('a logout applies to every tab', async ({web, page, person}) => {
	web.tolerate(unauthorized);
	await person.api.inboxes.create({name: 'private'});
	const other = await page.context().newPage();
	await other.goto(`${web.site}/app/`);
	await other.getByText('private').first().waitFor();
	await page.getByRole('button', {name: 'Log out'}).click();
	await expectLoginPage(page, 'private');
	await expectLoginPage(other, 'private');
});

webTest('a login link works once and is removed from the URL', async ({web, person}) => {
	web.tolerate(unauthorized);
	const link = await web.link(person);
	const page = await (await web.browser()).newPage();
	await page.goto(link);
	await page.getByRole('button', {name: 'Log out'}).waitFor();
	expect(page.url()).toBe(`${web.site}/app/`);
	const again = await (await web.browser()).newPage();
	await again.goto(link);
	await expectLoginPage(again);
});

webTest(
	'the page names the account, and a login link changes it only after a confirmation',
	async ({web, page, person}) => {
		const eve = await web.person('eve');
		const account = page.getByRole('banner').locator('.account');
		const other = await page.context().newPage();
		await other.goto(`${web.site}/app/`);
		await account.getByText(person.email).waitFor();

		// A link for the same account needs no confirmation.
		await page.goto(await web.link(person));
		await account.getByText(person.email).waitFor();
		expect(await page.getByRole('dialog').count()).toBe(0);

		const link = await web.link(eve);
		await page.goto(link);
		const question = page.getByRole('dialog', {name: `logs in as ${eve.email}. You are logged in as ${person.email}`});
		await question.getByRole('button', {name: 'Cancel'}).click();
		await account.getByText(person.email).waitFor();
		await page.reload();
		await account.getByText(person.email).waitFor();

		// The link was not used.
		await page.goto(link);
		await question.getByRole('button', {name: 'Change account'}).click();
		await account.getByText(eve.email).waitFor();
		await other.getByRole('banner').getByText(eve.email).waitFor();
	},
);
