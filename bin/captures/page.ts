import {mkdir, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import type {BrowserContext, Page} from 'playwright-core';
import {launchChromium} from '../../test/helpers/launch-chromium.js';
import {chance} from './chance.js';
import type {World} from './world.js';

const sizes = [
	{width: 1440, height: 900},
	{width: 900, height: 900},
	{width: 375, height: 812},
];

const schemes = ['light', 'dark'] as const;

/** Of 100; enough for letters without shadows. */
const quality = 80;

/** In which what else is read for a screen has come, too. */
const restMs = 500;

type Screen = {
	readonly name: string;
	/** Below `/app/`. */
	readonly place: string;
	/** The same where there is room for one pane. */
	readonly narrowPlace?: string;
	/** What is seen then. */
	readonly shows: string;
	/** What the mail in its frame shows, which is loaded by itself. */
	readonly framed?: string;
	/** Without a login. */
	readonly isOutside?: boolean;
};

/** Takes pictures of the inbox in the browser into the folder, as they are in Chromium. */
export async function capturePage(world: World, folder: string): Promise<void> {
	await rm(folder, {recursive: true, force: true});
	await mkdir(folder, {recursive: true});
	const profile = await launchChromium(path.join(world.home, 'chromium'));
	try {
		const inside = await openPage(profile, world);
		await inside.goto((await world.tinbox('open', '--no-browser')).trim());
		await inside.getByRole('main').waitFor();
		const outside = await openPage(profile, world);
		const site = new URL(inside.url()).origin;
		for (const {name, place, narrowPlace = place, shows, framed, isOutside} of await screensOf(world)) {
			const page = isOutside ? outside : inside;
			for (const size of sizes) {
				await page.setViewportSize(size);
				await page.goto(`${site}/app/${size.width < 600 ? narrowPlace : place}`);
				await page.getByText(shows).filter({visible: true}).first().waitFor();
				if (framed !== undefined) {
					await page.frameLocator('iframe >> visible=true').getByText(framed).waitFor();
				}

				await sleep(restMs);
				for (const colorScheme of schemes) {
					await page.emulateMedia({colorScheme, reducedMotion: 'reduce'});
					const file = `${name}-${size.width}-${colorScheme}.webp`;
					await writeFile(path.join(folder, file), await picture(page, world));
					console.log(`web/${file}`);
				}
			}
		}
	} finally {
		await profile.close();
	}
}

async function screensOf({tinbox}: World): Promise<readonly Screen[]> {
	const json = async (...args: readonly string[]) => JSON.parse(await tinbox(...args, '--json'));
	const {id: inbox} = await json('inbox', 'show', 'sign-up');
	const messages: ReadonlyArray<{id: string; subject: string}> = await json('messages', 'list', 'sign-up');
	const messagePlace = (subject: string, tab: string) =>
		`inboxes/${inbox}/messages/${messages.find(message => message.subject === subject)?.id}?tab=${tab}`;
	const {endpoints}: {endpoints: ReadonlyArray<{id: string; url: string}>} = await json('webhooks', 'list');
	const endpoint = endpoints.find(({url}) => url.endsWith('/crm'))?.id ?? '';
	const {deliveries} = await json('webhooks', 'deliveries', endpoint, '--status', 'failed');
	const {hits} = await json('faults', 'hits', 'sign-up');
	const confirmation = 'Confirm your sign-up';
	const invoice = 'Your invoice for order 4821';
	return [
		{name: 'inboxes', place: 'mail', narrowPlace: '', shows: 'sign-up'},
		{name: 'html', place: messagePlace(confirmation, 'html'), shows: confirmation, framed: 'Welcome to Acme, Zoë'},
		{name: 'text', place: messagePlace(confirmation, 'text'), shows: 'Invite your team'},
		{name: 'attachments', place: messagePlace(invoice, 'attachments'), shows: 'terms.txt'},
		{name: 'codes', place: messagePlace(confirmation, 'codes'), shows: '482193'},
		{name: 'webhooks', place: `webhooks/${endpoint}/${deliveries[0].id}`, shows: 'The CRM is down'},
		{name: 'faults', place: `inboxes/${inbox}/faults/hits/${hits[0].id}`, shows: '452'},
		{name: 'login', place: '', shows: 'tinbox open', isOutside: true},
	];
}

/** In a browser of its own, whose clock shows the time of the world. */
async function openPage(profile: BrowserContext, {now}: World): Promise<Page> {
	const context = await profile.browser()?.newContext({locale: 'en', timezoneId: 'UTC'});
	const page = await context?.newPage();
	if (page === undefined) {
		throw new Error('Chromium has ended.');
	}

	await page.clock.setFixedTime(now);
	return page;
}

/** As WebP, which Chromium makes a third as large as PNG. */
async function picture(page: Page, {ports}: World): Promise<Buffer> {
	await page.evaluate(hideChance([...ports, ...chance]));
	const session = await page.context().newCDPSession(page);
	const {data} = await session.send('Page.captureScreenshot', {format: 'webp', quality});
	await session.detach();
	return Buffer.from(data, 'base64');
}

/** A script for the page, which replaces what is made up by chance, and hides the caret, which blinks. */
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
