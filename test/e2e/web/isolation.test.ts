import type {Frame, Page, Request} from 'playwright-core';
import {describe, expect} from 'vitest';
import {hostileHtml} from '../preview-page/hostile-mail.js';
import {observe, type Remote, startRemote} from '../preview-page/observe.js';
import {type Person, type WebWorld, webTest} from './web-world.js';

const svg = (at: Remote['at']) => `<svg xmlns="http://www.w3.org/2000/svg" onload="console.log('ran svg')">
	<script>console.log('ran svg script');alert(1)</script><image href="${at('svg-file-image')}"/>
	<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${at('svg-file-frame')}"></iframe></foreignObject>
	<text y="20">drawn</text></svg>`;

/** Sends a mail whose fields, HTML and attachments all contain attacks, and returns its location. */
async function sendHostileMail(web: WebWorld, {api}: Person, {at}: Remote) {
	const {id, email_address: to} = await api.inboxes.create({name: '<img src=x onerror=alert(1)>'});
	await web.send(to, {
		from: `"<script>console.log('ran name')</script>" <evil@acme.example>`,
		subject: `<img src="${at('subject')}" onerror="console.log('ran subject')">`,
		text: `<script>console.log('ran text')</script> javascript:alert(1) ${at('text-link')}`,
		html: hostileHtml(at),
		headers: {'X-Evil': `<img src=${at('header')}>`},
		attachments: [
			{filename: '<img src=x onerror=alert(1)>.html', content: hostileHtml(at), contentType: 'text/html'},
			{filename: 'drawing.svg', content: svg(at), contentType: 'image/svg+xml'},
			{filename: 'drawing.png', content: svg(at), contentType: 'image/png'},
		],
	});
	return {inbox_id: id, message_id: 'latest'};
}

/** The frame with the HTML of the mail. */
async function mailFrame(page: Page): Promise<Frame> {
	const find = () => page.frames().find(frame => /\/v1\/previews\/[^/]+\/html/.test(frame.url()));
	await expect.poll(find).toBeDefined();
	return find() as Frame;
}

/** Opens each tab of the message and every attachment. */
async function openEverything(page: Page): Promise<void> {
	await mailFrame(page);
	const tabs = await page.getByRole('tab').all();
	expect(tabs.length).toBeGreaterThan(6);
	for (const tab of tabs) {
		await tab.click();
		await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
		if (/Attachments/.test(await tab.innerText())) {
			await openAttachments(page);
		}
	}
}

async function openAttachments(page: Page): Promise<void> {
	const panel = page.getByRole('tabpanel');
	await panel.getByRole('listitem').first().waitFor();
	for (const button of await panel.getByRole('button', {name: /^Show/}).all()) {
		await button.click();
	}

	await expect
		.poll(() => page.frames().filter(frame => frame.url().includes('/attachments/')).length)
		.toBeGreaterThan(0);
}

/** Clicks every element of the class `trap` in the mail. */
async function clickTraps(page: Page): Promise<void> {
	const traps = await (await mailFrame(page)).locator('.trap').all();
	expect(traps.length).toBeGreaterThan(4);
	for (const trap of traps) {
		await trap.click({noWaitAfter: true, force: true});
	}

	// Waits long enough that a navigation caused by a click would have started.
	await page.getByRole('tab', {name: 'Headers'}).click();
	await page.getByRole('tabpanel').getByText('X-Evil').first().waitFor();
}

describe('a hostile mail in the web app', () => {
	let remote: Remote;
	const observeMail = async (web: WebWorld, person: Person, act: (page: Page) => Promise<void>) => {
		remote = await startRemote();
		const link = await web.link(person, await sendHostileMail(web, person, remote));
		return observe(link, act, {own: web.site, until: 'load'});
	};
	const noEffect = {ran: [], requests: [], title: expect.stringMatching(/tinbox$/)};

	webTest(
		'runs no script, reads no cookie or storage, and sends no request when all tabs and attachments are opened',
		async ({web, person}) => {
			const sent: Request[] = [];
			const seen = await observeMail(web, person, async page => {
				page.context().on('request', request => sent.push(request));
				await openEverything(page);
				await page.getByRole('tab', {name: 'HTML'}).click();
				await mailFrame(page);
				const previewFrames = () => page.frames().filter(frame => frame.url().includes('/v1/previews/'));
				await expect.poll(() => previewFrames().length).toBeGreaterThan(1);
				for (const frame of previewFrames()) {
					// The page measures one frame, which has its origin but runs no script.
					const isMeasured = frame.url().includes('measured=1');
					expect(await frame.evaluate(readStorage), frame.url()).toEqual(['', isMeasured ? expect.any(String) : '']);
				}

				expect(await page.context().cookies(`${web.site}/app/`)).toMatchObject([{httpOnly: true, sameSite: 'Strict'}]);
				const previews = sent.filter(request => request.url().startsWith(`${web.site}/v1/previews/`));
				expect(previews.length).toBeGreaterThan(3);
				const headers = await Promise.all(previews.map(async request => request.allHeaders()));
				expect(headers.filter(({cookie}) => cookie !== undefined)).toEqual([]);
			});
			expect(seen).toMatchObject({...noEffect, hosts: []});
			expect(remote.connections).toBe(0);
		},
	);

	webTest('runs no script and navigates nowhere when its links and forms are clicked', async ({web, person}) => {
		expect(await observeMail(web, person, clickTraps)).toMatchObject(noEffect);
		expect([...remote.requested]).toEqual([]);
	});

	webTest('loads remote images on request, and nothing else', async ({web, person}) => {
		const {ran, hosts} = await observeMail(web, person, async page => {
			await mailFrame(page);
			await page.getByRole('button', {name: 'Load images'}).click();
			await expect.poll(() => remote.requested.has('pixel')).toBe(true);
		});
		expect(ran).toEqual([]);
		const images = /pixel|srcset|picture|image|background|poster|cursor|css-content|list-style|svg-foreign/;
		expect(hosts.filter(name => !images.test(name))).toEqual([]);
		expect(String(remote.referrers)).not.toContain(new URL(web.site).host);
	});
});

/** Script that reads cookies and local storage in a frame; an access error counts as empty. */
const readStorage = `[() => document.cookie, () => JSON.stringify(localStorage).replace('{}', '')].map(read => {
	try {
		return read();
	} catch {
		return '';
	}
})`;
