import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

/** What is refused while nobody is logged in is told on the console, too. */
const refused = /status of 401/;

/** The page says that nobody is logged in, and nothing else of what it showed. */
async function expectLoginPage(page: Page, ...hidden: readonly string[]): Promise<void> {
	await page.getByLabel('API key or token').waitFor();
	for (const text of hidden) {
		expect(await page.getByText(text).count(), text).toBe(0);
	}
}

webTest('a revoked key ends the page, which then takes another key or a token', async ({web, page, person}) => {
	web.tolerate(refused);
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
});

webTest('a session is listed and ended by tinbox keys, and the page says so', async ({web, cli}) => {
	web.tolerate(refused);
	await cli('inbox', 'create', '--name', 'private');
	const page = await (await web.browser()).newPage();
	await page.goto((await cli('open', '--no-browser')).stdout.trim());
	await page.getByText('private').first().waitFor();
	const {web_sessions: sessions} = JSON.parse((await cli('keys', 'list', '--json')).stdout);
	expect(sessions).toHaveLength(1);
	expect(await cli('keys', 'revoke', sessions[0].id)).toMatchObject({exitCode: 0});
	await expectLoginPage(page, 'private');
});

webTest('who logs out is out, in every tab', async ({web, page, person}) => {
	web.tolerate(refused);
	await person.api.inboxes.create({name: 'private'});
	const other = await page.context().newPage();
	await other.goto(`${web.site}/app/`);
	await other.getByText('private').first().waitFor();
	await page.getByRole('button', {name: 'Log out'}).click();
	await expectLoginPage(page, 'private');
	await expectLoginPage(other, 'private');
});

webTest('a link opens the page once, and nothing of it stays in the address', async ({web, person}) => {
	web.tolerate(refused);
	const link = await web.link(person);
	const page = await (await web.browser()).newPage();
	await page.goto(link);
	await page.getByRole('button', {name: 'Log out'}).waitFor();
	expect(page.url()).toBe(`${web.site}/app/`);
	const again = await (await web.browser()).newPage();
	await again.goto(link);
	await expectLoginPage(again);
});
