import type {Page, Request} from 'playwright-core';
import {expect} from 'vitest';
import {fillInbox} from '../../helpers/fill-inbox.js';
import {webTest} from './web-world.js';

const list = (page: Page) => page.getByRole('listbox', {name: 'Messages'});
const rows = (page: Page) => list(page).getByRole('option');

const subject = (page: Page, text: string) => rows(page).getByText(text, {exact: true});

/** Scrolls the list to a fraction of its length. */
async function scrollTo(page: Page, fraction: number): Promise<void> {
	await page.evaluate(`(() => {
		const list = document.querySelector('[role=listbox][aria-label=Messages]');
		list.scrollTop = (list.scrollHeight - list.clientHeight) * ${fraction};
	})()`);
}

webTest('a list of 100,000 messages loads and renders only the rows in view', async ({web, person}) => {
	const {id, email_address: to} = await person.api.inboxes.create({name: 'long'});
	await web.kill();
	await fillInbox(web.dataDir, id, 100_000);
	await web.start();
	const page = await web.enter(person, {inbox_id: id});
	const requests: Request[] = [];
	page.on('request', request => request.url().includes('/messages') && requests.push(request));
	await subject(page, 'Mail 100000').waitFor();
	await scrollTo(page, 1);
	await subject(page, 'Mail 1').waitFor();
	await scrollTo(page, 0.5);
	await subject(page, 'Mail 50000').waitFor();
	// The pages between the scroll positions are not requested.
	expect(requests.length).toBeLessThan(20);
	expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500);

	await subject(page, 'Mail 50000').click();
	await page.getByText('Welcome. Your code is 482193.').first().waitFor();
	await web.send(to, {subject: 'Next'});
	await page.getByRole('button', {name: '1 new'}).click();
	await subject(page, 'Next').waitFor();
});
