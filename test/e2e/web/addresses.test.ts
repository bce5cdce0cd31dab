import {expect} from 'vitest';
import {webTest} from './web-world.js';

webTest(
	'a URL accepts the name or address of an inbox, and an unknown URL shows an error',
	async ({web, page, person: {api}}) => {
		const inbox = await api.inboxes.create({name: 'sign-up', email_address: 'ann@example.com'});
		await api.inboxes.create({name: 'twice', email_address: 'one@example.com'});
		await api.inboxes.create({name: 'twice', email_address: 'two@example.com'});
		await web.send(inbox.email_address, {subject: 'First'});
		await web.send(inbox.email_address, {subject: 'Second'});
		const {id} = await api.messages.get(inbox.id, 'latest');
		const path = () => new URL(page.url()).pathname;
		for (const [name, shown] of [
			['sign-up', `/app/inboxes/${inbox.id}`],
			['Ann@Example.com', `/app/inboxes/${inbox.id}`],
			['sign-up/faults', `/app/inboxes/${inbox.id}/faults`],
			['sign-up/messages/latest', `/app/inboxes/${inbox.id}/messages/${id}`],
		]) {
			await page.goto(`${web.site}/app/inboxes/${name}`);
			await expect.poll(path).toBe(shown);
			await page.getByRole('heading', {name: /sign-up/}).waitFor();
		}

		await page.getByRole('heading', {name: 'Second'}).waitFor();
		await page.goto(`${web.site}/app/inboxes/twice`);
		await page.getByRole('heading', {name: 'Inboxes named “twice”'}).waitFor();
		await page.getByRole('main').getByRole('link', {name: 'one@example.com'}).click();
		await page.getByRole('heading', {name: 'twice'}).waitFor();

		for (const unknown of ['/app/inboxes/nope', '/app/inboxes/nope/faults']) {
			await page.goto(web.site + unknown);
			await page.getByRole('heading', {name: 'No inbox named “nope”'}).waitFor();
			expect(path()).toBe(unknown);
			expect(await page.getByText('aults of').count()).toBe(0);
			expect(await page.getByText('tinbox faults').count()).toBe(0);
		}

		await page.goto(`${web.site}/app/nope?x=1`);
		await page.getByRole('heading', {name: 'Page not found'}).waitFor();
		expect(page.url()).toBe(`${web.site}/app/nope?x=1`);
		await page.getByRole('link', {name: 'To the inboxes'}).click();
		await expect.poll(path).toMatch(/^\/app\/inboxes\/[\da-f-]+$/);

		await page.goto(`${web.site}/app/mail?tls=maybe`);
		await page.getByRole('alert').getByText('"tls" must be "true" or "false".').waitFor();
		expect(await page.getByRole('listbox', {name: 'Messages'}).getByRole('option').count()).toBe(0);
		await page.getByRole('button', {name: 'Clear'}).click();
		await page.getByRole('option', {name: /First/}).waitFor();
		expect(page.url()).toBe(`${web.site}/app/mail`);
	},
);
