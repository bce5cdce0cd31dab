import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import type {BrowserContext, Page} from 'playwright-core';
import {launchChromium} from '../../test/helpers/launch-chromium.js';
import {chance} from './chance.js';
import type {World} from './world.js';

const size = {width: 1440, height: 900};

/** WebP quality of 100; enough for sharp letters. */
const quality = 80;

/** Time for the last data of a screen to be loaded and drawn. */
const restMs = 500;

type Screen = {
	readonly file: string;
	/** Path below `/app/`. */
	readonly place: string;
	/** A text that the screen shows once it is loaded. */
	readonly shows: string;
	/** A text in the frame that shows the HTML of a message. */
	readonly framed?: string;
};

/** Takes pictures of the web page in Chromium and writes them into the folder. */
export async function capturePage(world: World, folder: string): Promise<void> {
	const profile = await launchChromium(path.join(world.home, 'chromium'));
	try {
		const page = await openPage(profile, world);
		await page.goto((await world.tinbox('open', '--no-browser')).trim());
		await page.getByRole('main').waitFor();
		const site = new URL(page.url()).origin;
		for (const {file, place, shows, framed} of await screensOf(world)) {
			await page.goto(`${site}/app/${place}`);
			await page.getByText(shows).filter({visible: true}).first().waitFor();
			if (framed !== undefined) {
				await page.frameLocator('iframe >> visible=true').getByText(framed).waitFor();
			}

			await sleep(restMs);
			await writeFile(path.join(folder, file), await picture(page, world));
			console.log(path.join(folder, file));
		}
	} finally {
		await profile.close();
	}
}

async function screensOf({tinbox}: World): Promise<readonly Screen[]> {
	const json = async (...args: readonly string[]) => JSON.parse(await tinbox(...args, '--json'));
	const {id: inbox} = await json('inbox', 'show', 'sign-up');
	const messages: ReadonlyArray<{id: string; subject: string}> = await json('messages', 'list', 'sign-up');
	const confirmation = messages.find(({subject}) => subject === 'Confirm your sign-up');
	const {endpoints}: {endpoints: ReadonlyArray<{id: string; url: string}>} = await json('webhooks', 'list');
	const endpoint = endpoints.find(({url}) => url.endsWith('/crm'))?.id ?? '';
	const {deliveries} = await json('webhooks', 'deliveries', endpoint, '--status', 'failed');
	return [
		{
			file: 'page.webp',
			place: `inboxes/${inbox}/messages/${confirmation?.id}?tab=html`,
			shows: 'Confirm your sign-up',
			framed: 'Welcome to Acme, Zoë',
		},
		{file: 'page-webhooks.webp', place: `webhooks/${endpoint}/${deliveries[0].id}`, shows: 'The CRM is down'},
	];
}

/** Opens a page in English and UTC, with a clock that shows the time of the world. */
async function openPage(profile: BrowserContext, {now}: World): Promise<Page> {
	const context = await profile.browser()?.newContext({
		locale: 'en',
		timezoneId: 'UTC',
		viewport: size,
		colorScheme: 'light',
		reducedMotion: 'reduce',
	});
	const page = await context?.newPage();
	if (page === undefined) {
		throw new Error('Chromium has ended.');
	}

	await page.clock.setFixedTime(now);
	return page;
}

/** A screenshot as WebP, a third of the size of PNG. */
async function picture(page: Page, {ports}: World): Promise<Buffer> {
	await page.evaluate(hideChance([...ports, ...chance]));
	const session = await page.context().newCDPSession(page);
	const {data} = await session.send('Page.captureScreenshot', {format: 'webp', quality});
	await session.detach();
	return Buffer.from(data, 'base64');
}

/** A script for the page that replaces values that differ on each run and hides the blinking caret. */
function hideChance(replacements: typeof chance): string {
	const pairs = replacements.map(([{source}, same]) => [source, same]);
	return `(() => {
		const pairs = ${JSON.stringify(pairs)}.map(([source, same]) => [new RegExp(source, 'g'), same]);
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) {
			const node = texts.currentNode;
			const text = pairs.reduce((text, [pattern, same]) => text.replace(pattern, same), node.nodeValue);
			if (text !== node.nodeValue) {
				node.nodeValue = text;
			}
		}

		document.documentElement.style.caretColor = 'transparent';
	})()`;
}
