import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

function row(page: Page, list: string, text: string | RegExp) {
	return page.getByRole('listbox', {name: list}).getByRole('option').filter({hasText: text});
}

webTest('the faults of an inbox and their hits are shown live', async ({web, page, person}) => {
	const inbox = await person.api.inboxes.create({name: 'sign-up', email_address: 'sign-up@tinbox.test'});
	await page.goto(`${web.site}/app/inboxes/${inbox.id}/faults`);
	await page.getByRole('heading', {name: 'Faults for sign-up'}).waitFor();
	await page.getByText('tinbox faults add sign-up@tinbox.test greylist').waitFor();

	const {id} = await person.api.faults.create(inbox.id, {stage: 'rcpt', name: 'later', reply: '451 Later', times: 2});
	await row(page, 'Faults', /later.*Hit 0 of 0.*2 hits left.*rcpt.*451/).waitFor();

	await expect(web.send(inbox.email_address)).rejects.toThrow('451');
	await row(page, 'Faults', /Hit 1 of 1.*1 hit left/).waitFor();
	await row(page, 'Hits', /451.*hello@acme\.example/).click();
	await expect.poll(() => page.getByRole('region', {name: 'Hit'}).textContent()).toMatch(/Client.*127\.0\.0\.1/);

	await row(page, 'Faults', 'later').click();
	await page.getByRole('button', {name: 'Delete the fault'}).click();
	await page.getByRole('dialog', {name: 'Delete the fault "later"?'}).getByRole('button', {name: 'Delete'}).click();
	await page.getByText('No faults yet.').waitFor();
	await expect(person.api.faults.get(inbox.id, id)).rejects.toMatchObject({status: 404});
	await row(page, 'Hits', '451').waitFor();
});

webTest('the faults of the daemon show an error to a user without permission', async ({web, page}) => {
	web.tolerate(/403/);
	await page.goto(`${web.site}/app/faults`);
	await page.getByText(/local user|operator/).waitFor();
});

webTest('a hit links to the message that was stored before the connection dropped', async ({web, page, person}) => {
	const inbox = await person.api.inboxes.create({});
	await person.api.faults.create(inbox.id, {stage: 'end', drop: 'after_commit'});
	await expect(web.send(inbox.email_address, {subject: 'Twice'})).rejects.toThrow();
	await page.goto(`${web.site}/app/inboxes/${inbox.id}/faults`);
	await page.getByRole('link', {name: 'Message', exact: true}).click();
	await page.getByRole('heading', {name: 'Twice'}).waitFor();
});
