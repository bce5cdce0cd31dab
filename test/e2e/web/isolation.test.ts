import type {Frame, Page, Request} from 'playwright-core';
import {describe, expect} from 'vitest';
import {hostileHtml} from '../preview-page/hostile-mail.js';
import {observe, type Remote, startRemote} from '../preview-page/observe.js';
import {type Person, type WebWorld, webTest} from './web-world.js';

const svg = (at: Remote['at']) => `<svg xmlns="http://www.w3.org/2000/svg" onload="console.log('ran svg')">
	<script>console.log('ran svg script');alert(1)</script><image href="${at('svg-file-image')}"/>
	<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${at('svg-file-frame')}"></iframe></foreignObject>
	<text y="20">drawn</text></svg>`;

/** A mail with all of that, in an inbox of the person's; where it is in the page. */
async function hostileMail(web: WebWorld, {api}: Person, {at}: Remote) {
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

/** The frame of the page in which the HTML of the mail is. */
async function mailFrame(page: Page): Promise<Frame> {
	const find = () => page.frames().find(frame => /\/v1\/previews\/[^/]+\/html/.test(frame.url()));
	await expect.poll(find).toBeDefined();
	return find() as Frame;
}

/** Opens each tab of the message, and whatever a tab can show. */
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

/** Clicks all that the mail wants to have clicked. */
async function clickTraps(page: Page): Promise<void> {
	const traps = await (await mailFrame(page)).locator('.trap').all();
	expect(traps.length).toBeGreaterThan(4);
	for (const trap of traps) {
		await trap.click({noWaitAfter: true, force: true});
	}

	// By then a page to which one of them led would have been asked for.
	await page.getByRole('tab', {name: 'Headers'}).click();
	await page.getByRole('tabpanel').getByText('X-Evil').first().waitFor();
}

describe('a hostile mail in the app', () => {
	let remote: Remote;
	const look = async (web: WebWorld, person: Person, act: (page: Page) => Promise<void>) => {
		remote = await startRemote();
		const link = await web.link(person, await hostileMail(web, person, remote));
		return observe(link, act, {own: web.site, until: 'load'});
	};
	const untouched = {ran: [], requests: [], title: expect.stringMatching(/tinbox$/)};

	webTest('runs no script, reads nothing of the page and asks nobody, whatever is opened', async ({web, person}) => {
		const sent: Request[] = [];
		const seen = await look(web, person, async page => {
			page.context().on('request', request => sent.push(request));
			await openEverything(page);
			await page.getByRole('tab', {name: 'HTML'}).click();
			await mailFrame(page);
			const strangers = () => page.frames().filter(frame => frame.url().includes('/v1/previews/'));
			await expect.poll(() => strangers().length).toBeGreaterThan(1);
			for (const frame of strangers()) {
				// One is measured by the page, of whose origin it is: no script runs in it.
				const isMeasured = frame.url().includes('measured=1');
				expect(await frame.evaluate(reading), frame.url()).toEqual(['', isMeasured ? expect.any(String) : '']);
			}

			expect(await page.context().cookies(`${web.site}/app/`)).toMatchObject([{httpOnly: true, sameSite: 'Strict'}]);
			const previews = sent.filter(request => request.url().startsWith(`${web.site}/v1/previews/`));
			expect(previews.length).toBeGreaterThan(3);
			const headers = await Promise.all(previews.map(async request => request.allHeaders()));
			expect(headers.filter(({cookie}) => cookie !== undefined)).toEqual([]);
		});
		expect(seen).toMatchObject({...untouched, hosts: []});
		expect(remote.connections).toBe(0);
	});

	webTest('runs no script and takes nobody elsewhere, whatever is clicked', async ({web, person}) => {
		expect(await look(web, person, clickTraps)).toMatchObject(untouched);
		expect([...remote.asked]).toEqual([]);
	});

	webTest('loads images from elsewhere when it is asked to, and nothing else', async ({web, person}) => {
		const {ran, hosts} = await look(web, person, async page => {
			await mailFrame(page);
			await page.getByRole('button', {name: 'Load images'}).click();
			await expect.poll(() => remote.asked.has('pixel')).toBe(true);
		});
		expect(ran).toEqual([]);
		const images = /pixel|srcset|picture|image|background|poster|cursor|css-content|list-style|svg-foreign/;
		expect(hosts.filter(name => !images.test(name))).toEqual([]);
		expect(String(remote.referrers)).not.toContain(new URL(web.site).host);
	});
});

/** What a script in a frame could read of the page: cookies, and what it keeps. */
const reading = `[() => document.cookie, () => JSON.stringify(localStorage).replace('{}', '')].map(read => {
	try {
		return read();
	} catch {
		return '';
	}
})`;
