import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import path from 'node:path';
import {createTransport} from 'nodemailer';
import type {Page} from 'playwright-core';
import {expect, onTestFinished} from 'vitest';
import {chromiumPath, chromiumTest, openBrowser} from '../../helpers/chromium.js';
import type {Cli} from '../../helpers/cli.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {hostileHtml} from './hostile-mail.js';
import {observe, startRemote} from './observe.js';

if (chromiumPath === undefined) {
	console.warn('The preview page is not tested: there is no Chromium on the PATH.');
}

const browserTest = chromiumTest.skipIf(chromiumPath === undefined);

/** A PNG of 8 × 8 pixels of one color. */
const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mO4JNeDFTEMLQkAMHNfAaTnKaUAAAAASUVORK5CYII=';
const logoColor = [210, 30, 140];

/** The visible frame with the mail; the inert frame is used to measure its height. */
const mailFrame = 'iframe:not([inert])';

type Mail = {
	readonly html: string;
	readonly attachments?: ReadonlyArray<{filename: string; content: Buffer; cid?: string}>;
};

/** Sends a mail to a new inbox and returns the URL of its preview page. */
async function previewUrl(cli: Cli, {html, attachments = []}: Mail): Promise<string> {
	const {smtp} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
	const to = (await cli('inbox', 'create')).stdout.trim();
	const transport = createTransport({...smtp, ignoreTLS: true});
	await transport.sendMail({
		from: 'Acme <hello@acme.example>',
		to,
		subject: 'Confirm your sign-up',
		text: 'Welcome. Your code is 482193.',
		html,
		attachments: [...attachments],
	});
	transport.close();
	return (await cli('messages', 'open', to, '--no-browser')).stdout.trim();
}

/** Clicks every element of the class `trap` in the mail. */
async function clickTraps(page: Page): Promise<void> {
	const mail = page.frames().find(frame => frame.url().endsWith('/html'));
	const traps = (await mail?.locator('.trap').all()) ?? [];
	expect(traps.length).toBeGreaterThan(4);
	for (const trap of traps) {
		await trap.click({noWaitAfter: true, force: true});
	}

	await page.waitForLoadState('networkidle');
}

/** Counts the pixels of a color in a screenshot, using a canvas in another page. */
async function countPixels(page: Page, png: Buffer, [red, green, blue]: readonly number[]): Promise<unknown> {
	return page.evaluate(`(async () => {
		const image = new Image();
		image.src = 'data:image/png;base64,${png.toString('base64')}';
		await image.decode();
		const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
		canvas.drawImage(image, 0, 0);
		const pixels = new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer);
		const [wanted] = new Uint32Array(Uint8Array.of(${red}, ${green}, ${blue}, 255).buffer);
		return pixels.filter(pixel => pixel === wanted).length;
	})()`);
}

browserTest('the preview page shows HTML with an inline image, text and attachments', async ({cli, chromium}) => {
	const url = await previewUrl(cli, {
		html: '<h1>Welcome</h1><img src="cid:logo@acme" width="64" height="64"><p>Your code is <b>482193</b>.</p>',
		attachments: [
			{filename: 'logo.png', content: Buffer.from(logo, 'base64'), cid: 'logo@acme'},
			{filename: 'invoice.pdf', content: Buffer.alloc(2048)},
		],
	});
	const browser = await openBrowser(chromium);
	const page = await browser.newPage();
	await page.goto(url, {waitUntil: 'networkidle'});
	expect(await page.title()).toBe('Confirm your sign-up');
	expect(await page.locator('dt:text("Attachments") + dd li').allInnerTexts()).toEqual([
		'logo.png image/png, 74 B',
		'invoice.pdf application/pdf, 2 KiB',
	]);

	const mail = page.frameLocator(mailFrame);
	expect(await mail.locator('body').innerText()).toContain('Your code is 482193.');
	expect(await mail.locator('img').evaluate(image => Reflect.get(image, 'naturalWidth'))).toBe(8);

	const file = path.join(await tempDir(), 'page.png');
	const screenshot = await page.screenshot({path: file, fullPage: true});
	expect(await countPixels(await browser.newPage(), screenshot, logoColor)).toBe(64 * 64);

	const download = page.waitForEvent('download');
	await page.getByText('invoice.pdf').click();
	expect((await download).suggestedFilename()).toBe('invoice.pdf');
	await page.getByText('Text', {exact: true}).click();
	expect(await page.locator('pre').innerText()).toBe('Welcome. Your code is 482193.');
});

/** Height of the frame with the mail. */
async function frameHeight(page: Page): Promise<number> {
	return (await page.locator(mailFrame).boundingBox())?.height ?? 0;
}

browserTest('the frame of the preview page is as high as the mail at every width', async ({cli, chromium}) => {
	const block = '<div style="float:left;width:300px;height:1000px">Block</div>';
	const url = await previewUrl(cli, {html: `<body style="margin:0">${block.repeat(3)}<br style="clear:both">`});
	const page = await (await openBrowser(chromium)).newPage();
	await page.setViewportSize({width: 1280, height: 800});
	await page.goto(url);
	await expect.poll(async () => frameHeight(page)).toBeGreaterThan(1000);
	expect(await frameHeight(page)).toBeLessThan(1100);
	await page.getByLabel('Phone').check();
	await expect.poll(async () => frameHeight(page)).toBeGreaterThan(3000);
	expect(await frameHeight(page)).toBeLessThan(3100);
	await page.getByLabel('Tablet').check();
	await expect.poll(async () => frameHeight(page)).toBeLessThan(2100);
	expect(await frameHeight(page)).toBeGreaterThan(2000);
});

browserTest('the buttons of the preview page copy codes and links', async ({cli, chromium}) => {
	const link = 'https://acme.example/confirm?token=1&to=%22';
	const url = await previewUrl(cli, {html: `<a href="${link}">Confirm</a>`});
	const page = await (await openBrowser(chromium)).newPage();
	await page.goto(url);
	for (const [index, copied] of ['482193', link].entries()) {
		await page.locator('button').nth(index).click();
		expect(await page.locator('button').nth(index).innerText()).toBe('Copied');
		expect(await page.evaluate('getSelection().toString()')).toBe(copied);
	}
});

browserTest('the preview page works without scripts and at the width of a phone', async ({cli, chromium}) => {
	const url = await previewUrl(cli, {
		html: `<p>${'Hello '.repeat(100)}</p><a href="https://acme.example/${'x'.repeat(300)}">Confirm</a>`,
	});
	const browser = await openBrowser(chromium, {javaScriptEnabled: false, viewport: {width: 375, height: 700}});
	const page = await browser.newPage();
	await page.goto(url);
	for (const view of ['Text', 'Headers', 'Source', 'HTML']) {
		await page.getByRole('link', {name: view, exact: true}).click();
		expect(await page.locator('[aria-current=page]').innerText()).toBe(view);
		expect(await page.locator('main :is(pre, iframe)').isVisible()).toBe(true);
		expect(await page.locator('button').first().isVisible()).toBe(false);
		expect(await page.locator('h1').boundingBox()).toMatchObject({x: 15, width: 345});
	}

	expect(await page.frameLocator(mailFrame).locator('p').innerText()).toContain('Hello');
	await page.getByLabel('Tablet').check();
	expect((await page.locator(mailFrame).boundingBox())?.width).toBe(768);
});

browserTest(
	'a hostile mail in the preview page runs no script, sends no request and resolves no host name',
	async ({cli}) => {
		const remote = await startRemote();
		const url = await previewUrl(cli, {html: hostileHtml(remote.at)});
		for (const address of [url, `${url}/html`, `${url}/html?measured=1`]) {
			expect(await observe(address)).toMatchObject({ran: [], requests: [], hosts: []});
		}

		expect(remote.connections).toBe(0);
	},
);

browserTest(
	'a hostile mail in the preview page runs no script and navigates nowhere when its links and forms are clicked',
	async ({cli}) => {
		const remote = await startRemote();
		const url = await previewUrl(cli, {html: hostileHtml(remote.at)});
		const seen = await observe(url, clickTraps);
		expect(seen).toMatchObject({ran: [], requests: [], title: 'Confirm your sign-up'});
		expect([...remote.requested]).toEqual([]);
	},
);

browserTest('the preview page loads remote images on request, and nothing else', async ({cli}) => {
	const remote = await startRemote();
	const url = await previewUrl(cli, {html: hostileHtml(remote.at)});
	const {ran, hosts} = await observe(url, async page => {
		await page.getByText('Load remote images').click();
		await page.waitForLoadState('networkidle');
	});
	expect(ran).toEqual([]);
	expect([...remote.requested]).toEqual(
		expect.arrayContaining(['pixel', 'srcset', 'css-background', 'table-background']),
	);
	const images = /pixel|srcset|picture|image|background|poster|cursor|css-content|list-style|svg-foreign/;
	expect(hosts.filter(name => !images.test(name))).toEqual([]);
	// The URL of the page grants access to it and must not leak.
	expect(String(remote.referrers)).not.toContain(new URL(url).host);
});

browserTest('a link of the mail opens in a new page without opener and referrer', async ({cli, chromium}) => {
	const remote = await startRemote();
	const url = await previewUrl(cli, {html: `<a href="${remote.at('shop')}" target="shop">To the shop</a>`});
	const browser = await openBrowser(chromium);
	const page = await browser.newPage();
	await page.goto(url);
	const opened = browser.waitForEvent('page');
	await page.frameLocator(mailFrame).getByText('To the shop').click();
	const shop = await opened;
	await shop.waitForURL(remote.at('shop'));
	expect(await shop.evaluate('opener')).toBe(null);
	expect(String(remote.referrers)).not.toContain(new URL(url).host);
});

browserTest('observe detects the attacks of the hostile mail in a page without policy and sandbox', async () => {
	const remote = await startRemote();
	const server = createServer(({url}, response) => {
		response.setHeader('Content-Type', 'text/html');
		response.end(url === '/' ? '<title>Page</title><iframe src="/html"></iframe>' : hostileHtml(remote.at));
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close().closeAllConnections();
	});
	const {port} = server.address() as AddressInfo;
	const {ran, requests, hosts, title} = await observe(`http://127.0.0.1:${port}/`);
	expect(title).toBe('ran');
	expect(ran).toEqual(
		expect.arrayContaining(['dialog', 'ran script', 'ran svg script', 'ran img onerror', 'ran srcdoc']),
	);
	expect(requests).toContain(remote.at('pixel'));
	expect([...remote.requested]).toEqual(
		expect.arrayContaining(['pixel', 'css-import', 'font', 'script-src', 'iframe']),
	);
	expect(hosts).toEqual(expect.arrayContaining(['preconnect', 'dns-prefetch', 'iframe', 'prefetch']));
});
