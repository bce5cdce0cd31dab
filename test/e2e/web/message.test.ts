import type {Page} from 'playwright-core';
import {expect} from 'vitest';
import {startReceiver} from '../../helpers/webhook-receiver.js';
import {type Person, type WebWorld, webTest} from './web-world.js';

/** A PNG of 8 × 8 pixels of one color. */
const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mO4JNeDFTEMLQkAMHNfAaTnKaUAAAAASUVORK5CYII=';

/** A red PDF page that is one link; a script in it opens an alert. */
function pdf(link: string): Buffer {
	const paint = '1 0 0 rg 0 0 300 300 re f';
	const objects = [
		'<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\("ran"\\))>>>>',
		'<</Type/Pages/Kids[3 0 R]/Count 1>>',
		`<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 300 300]/A<</S/URI/URI(${link})>>>>]>>`,
		`<</Length ${paint.length}>>stream\n${paint}\nendstream`,
	];
	const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
	return Buffer.from(`%PDF-1.7\n${body}trailer<</Root 1 0 R>>\n`);
}

type Mail = Parameters<WebWorld['send']>[1];

/** Sends a mail to a new inbox and opens it in the web app. */
async function openMail(web: WebWorld, person: Person, mail: Mail): Promise<{page: Page; address: string}> {
	const {id, email_address: address} = await person.api.inboxes.create();
	await web.send(address, mail);
	const page = await web.enter(person, {inbox_id: id, message_id: 'latest'});
	await page.getByRole('tab', {name: 'Text'}).waitFor();
	return {page, address};
}

async function openTab(page: Page, name: string): Promise<void> {
	await page.getByRole('tab', {name}).click();
	expect(await page.getByRole('tab', {name, selected: true}).count()).toBe(1);
}

const panel = (page: Page) => page.getByRole('tabpanel');

const confirmation: Mail = {
	from: '"Acme \u202eShop" <hello@acme.example>',
	cc: 'Bob <bob@example.com>',
	replyTo: 'help@acme.example',
	subject: 'Confirm your sign-\u200bup',
	text: 'Welcome. Your code is 482193.\nSee (https://acme.example/help), javascript:alert(1)',
	html: '<h1>Welcome</h1><img src="cid:logo@acme" width="64"><a href="https://acme.example/confirm?token=1">Confirm</a>',
	headers: {'X-Odd': 'a\u202eb'},
	attachments: [{filename: 'logo.png', content: Buffer.from(logo, 'base64'), cid: 'logo@acme'}],
};

webTest(
	'a message is shown in every tab: HTML, text, headers, source, codes, links and SMTP',
	async ({web, person}) => {
		const {page, address} = await openMail(web, person, confirmation);
		const head = page.getByRole('region', {name: 'Message', exact: true}).locator('header');
		expect(await head.innerText()).toMatch(
			new RegExp(
				'^Confirm your sign-<U\\+200B>up\\nFrom\\nAcme Shop <hello@acme.example>\\n' +
					`To\\n${address}\\nCc\\nBob <bob@example.com>\\nReply-To\\nhelp@acme.example\\nReceived\\n20`,
			),
		);
		expect(await page.getByRole('tab', {selected: true}).innerText()).toBe('HTML');
		const mail = page.frameLocator('iframe:not([inert])');
		expect(await mail.locator('h1').innerText()).toBe('Welcome');
		await expect.poll(async () => mail.locator('img').evaluate(image => Reflect.get(image, 'naturalWidth'))).toBe(8);
		await page.getByText('Phone', {exact: true}).click();
		expect(await page.locator('iframe:not([inert])').boundingBox()).toMatchObject({width: 375});

		await openTab(page, 'Text');
		expect(await panel(page).innerText()).toContain('Your code is 482193.');
		expect(await panel(page).getByRole('link').all()).toHaveLength(1);
		expect(await panel(page).getByRole('link').getAttribute('rel')).toBe('noopener noreferrer');

		await openTab(page, 'Headers');
		await page.getByRole('searchbox', {name: 'Search headers'}).fill('x-ODD');
		expect(await panel(page).locator('dd:not(.copy)').allInnerTexts()).toEqual(['a<U+202E>b']);

		await openTab(page, 'Source');
		await expect.poll(async () => panel(page).innerText()).toContain('Content-Type: multipart/alternative');

		await openTab(page, 'Codes & links');
		await panel(page).getByRole('button', {name: 'Copy the code 482193'}).click();
		await expect.poll(async () => page.evaluate('navigator.clipboard.readText()')).toBe('482193');
		expect(await panel(page).getByRole('link', {name: 'Open'}).first().getAttribute('href')).toBe(
			'https://acme.example/confirm?token=1',
		);

		await openTab(page, 'SMTP');
		expect(await panel(page).innerText()).toContain('TLS\nUnencrypted');
		expect(new URL(page.url()).searchParams.get('tab')).toBe('session');

		const download = page.waitForEvent('download');
		await page.getByRole('link', {name: 'Download .eml'}).click();
		expect((await download).suggestedFilename()).toMatch(/\.eml$/);
	},
);

webTest('attachments are isolated: a PDF opens in a new tab and does not change the page', async ({web, person}) => {
	// The PDF viewer of Chromium requests its own pages. Its links have no origin, so the daemon rejects them.
	// An error that its script throws on leaving has no stack.
	web.tolerate(
		/^asked chrome/,
		/favicon/,
		/\/v1\/health: .* 403/,
		/^uncaught at .*(invoice\.pdf|\?inline=1|\/v1\/health): $/,
	);
	const drawing =
		'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80" onload="console.error(1)"><script>console.error(2)</script></svg>';
	const {page} = await openMail(web, person, {
		attachments: [
			{filename: 'logo.png', content: Buffer.from(logo, 'base64')},
			{filename: 'invoice.pdf', content: pdf(`${web.site}/v1/health`)},
			{filename: 'page.html', content: '<script>console.error(3)</script>'},
			{filename: 'drawing.svg', content: drawing},
		],
	});
	await openTab(page, 'Attachments');
	const image = page.getByRole('img', {name: 'logo.png'});
	await expect.poll(async () => image.evaluate(image => Reflect.get(image, 'naturalWidth'))).toBe(8);

	await page.getByRole('button', {name: 'Show drawing.svg'}).click();
	const frame = page.frameLocator('iframe[title="drawing.svg"]');
	await expect.poll(async () => frame.locator('img').evaluate(image => Reflect.get(image, 'naturalWidth'))).toBe(80);
	expect(await page.getByRole('link', {name: 'Download page.html'}).count()).toBe(1);
	expect(await page.getByRole('button', {name: 'Show page.html'}).count()).toBe(0);

	const dialogs: string[] = [];
	page.context().on('dialog', dialog => {
		dialogs.push(dialog.message());
		// The dialog may already be closed with its tab.
		dialog.dismiss().catch(() => {});
	});
	const opening = page.context().waitForEvent('page');
	await page.getByRole('link', {name: 'Open invoice.pdf in a new tab'}).click();
	const tab = await opening;
	await expect.poll(() => dialogs).toEqual(['ran']);
	const before = page.url();
	await expect
		.poll(async () => {
			await tab.mouse.click(720, 400);
			return tab.url();
		})
		.toBe(`${web.site}/v1/health`);
	expect(page.url()).toBe(before);
	expect(await image.isVisible()).toBe(true);
});

webTest(
	'a message that cannot be loaded shows its source and the error, and a deleted message is reported',
	async ({web, person}) => {
		web.tolerate(/the server responded with a status of (404|500)/);
		const {id} = await person.api.inboxes.create();
		await web.send((await person.api.inboxes.get(id)).email_address, {subject: 'Odd', text: 'The text'});
		const page = await (await web.browser()).newPage();
		const problem = {title: 'x', status: 500, code: 'internal', detail: 'Something went wrong here.'};
		await page.route(/\/v1\/.*\/messages\/[^/]+$/, route => route.fulfill({status: 500, json: problem}));
		await page.goto(await web.link(person, {inbox_id: id, message_id: 'latest'}));
		await page.getByRole('heading', {name: 'This message cannot be shown'}).waitFor();
		await page.getByRole('alert').getByText('Something went wrong here.').waitFor();
		await expect.poll(async () => page.locator('pre').innerText()).toContain('Subject: Odd');

		await page.unroute(/\/v1\/.*\/messages\/[^/]+$/);
		await page.getByRole('button', {name: 'Try again'}).click();
		await page.getByRole('heading', {name: 'Odd'}).waitFor();
		await person.api.messages.delete(id, 'latest');
		await page.getByRole('heading', {name: 'This message no longer exists'}).waitFor();
	},
);

webTest('the deliveries of a message are shown live and can be redelivered', async ({web, person}) => {
	const receiver = await startReceiver(500, 200);
	await person.api.webhooks.create({url: receiver.url});
	const {page} = await openMail(web, person, {});
	await openTab(page, 'Webhooks');
	await panel(page).getByText('Retrying').waitFor();
	expect(await panel(page).innerText()).toContain('status 500');
	await panel(page).getByRole('button', {name: 'Redeliver'}).click();
	await panel(page).getByText('Delivered').waitFor();
	await expect.poll(async () => panel(page).innerText()).toContain('2 attempts');
	expect(receiver.requests).toHaveLength(2);
});

webTest('a bounce is delivered to the sender, and the message links to it', async ({web, person}) => {
	await person.api.inboxes.create({email_address: '*@shop.example'});
	const {page} = await openMail(web, person, {from: 'orders@shop.example'});
	await openTab(page, 'SMTP');
	await page.getByText('Bounce or reply …').click();
	await page.getByRole('button', {name: 'Send bounce'}).click();
	await page.getByText('Sent a bounce to orders@shop.example.').waitFor();
	await panel(page).getByRole('link', {name: 'Undelivered Mail Returned to Sender'}).click();
	await page.getByRole('heading', {name: 'Undelivered Mail Returned to Sender'}).waitFor();
});
