import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import {webTest} from './web-world.js';

function row(page: Page, list: string, text: string | RegExp) {
	return page.getByRole('listbox', {name: list}).getByRole('option').filter({hasText: text});
}

webTest('a new webhook endpoint shows its secret once and its deliveries live', async ({web, page, person}) => {
	const receiver = await startReceiver(503, 200);
	const {email_address: address} = await person.api.inboxes.create({});
	await page.getByRole('link', {name: 'Webhooks'}).click();
	await page.getByText('tinbox webhooks create <url>').waitFor();

	await page.getByRole('button', {name: 'New endpoint'}).click();
	web.tolerate(/400/);
	await page.getByLabel('URL').fill('ftp://127.0.0.1/');
	await page.getByRole('button', {name: 'Create'}).click();
	await page.getByRole('alert').filter({hasText: 'must begin with "http://" or "https://"'}).waitFor();
	await page.getByLabel('URL').fill(receiver.url);
	await page.getByRole('button', {name: 'Create'}).click();

	const secret = page.getByText(/^whsec_/);
	const shown = await secret.textContent();
	await page.getByRole('button', {name: 'Copy the secret'}).click();
	await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(shown);
	await page.getByRole('button', {name: 'Done'}).click();
	await secret.waitFor({state: 'detached'});
	await page.getByText('No deliveries yet').waitFor();

	await web.send(address, {subject: 'Welcome to Acme'});
	await row(page, 'Deliveries', /Retrying.*message\.received.*Response 503/).click();
	await page.getByText('status 503').waitFor();
	await page.getByText('Welcome to Acme').waitFor();
	await page.getByRole('button', {name: 'Redeliver'}).click();
	await page.getByText('Redelivered. Response 200.').waitFor();
	await row(page, 'Deliveries', /Delivered.*Response 200, 2 attempts/).waitFor();
	await page.getByText('status 200').waitFor();
});

webTest('a webhook endpoint can be tested, disabled, and deleted after a confirmation', async ({web, page, person}) => {
	const receiver = await startReceiver(200);
	const {id} = await person.api.webhooks.create({url: receiver.url});
	await page.goto(`${web.site}/app/webhooks/${id}`);
	await page.getByRole('button', {name: 'Test', exact: true}).click();
	await page.getByText('Test delivered. Response 200.').waitFor();
	await row(page, 'Deliveries', 'Delivered').waitFor();

	await page.getByRole('switch', {checked: true}).click();
	await page.getByRole('switch', {checked: false}).waitFor();
	await expect.poll(async () => (await person.api.webhooks.get(id)).is_active).toBe(false);

	await page.getByRole('button', {name: 'Delete'}).click();
	await page.getByRole('button', {name: 'Cancel'}).click();
	await page.getByRole('button', {name: 'Delete'}).click();
	await page.getByRole('dialog').getByRole('button', {name: 'Delete'}).click();
	await page.getByText('tinbox webhooks create <url>').waitFor();
	expect((await person.api.webhooks.list()).endpoints).toEqual([]);
});

webTest('a webhook endpoint created through the API appears live', async ({page, person}) => {
	await page.getByRole('link', {name: 'Webhooks'}).click();
	await page.getByText('tinbox webhooks create <url>').waitFor();
	await person.api.webhooks.create({url: 'http://127.0.0.1:9/made-elsewhere'});
	await row(page, 'Endpoints', 'made-elsewhere').waitFor();
});

webTest('webhook deliveries can be filtered, and each has its own URL', async ({web, page, person}) => {
	const receiver = await startReceiver(500, 200);
	const {id} = await person.api.webhooks.create({url: receiver.url});
	const {delivery: failed} = await person.api.webhooks.test(id);
	await Promise.all(Array.from({length: 101}, () => person.api.webhooks.test(id)));

	await page.goto(`${web.site}/app/webhooks/${id}`);
	await page.getByText('1 to 100 of 102').waitFor();
	await page.getByRole('button', {name: 'Older'}).click();
	await page.getByText('101 to 102 of 102').waitFor();
	await row(page, 'Deliveries', 'Failed').waitFor();
	await page.getByLabel('Status').selectOption('failed');
	await expect.poll(() => row(page, 'Deliveries', '').count()).toBe(1);
	await page.getByLabel('Event').selectOption('fault.hit');
	await page.getByText('No deliveries match the filter.').waitFor();

	await page.goto(`${web.site}/app/webhooks/${id}/${failed.id}`);
	await page.getByText('status 500').waitFor();
	web.tolerate(/404/);
	await page.goto(`${web.site}/app/webhooks/${id}/gone`);
	await page.getByText('This endpoint has no delivery "gone".').waitFor();
});
