import type {BrowserContext, Page, Request} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

/** More than the six connections per host of a browser. */
const windows = 10;

const message = (page: Page, subject: string) => page.getByRole('listbox', {name: 'Messages'}).getByText(subject);

/** Returns the pages that have an event stream open, oldest first. */
function followersIn(browser: BrowserContext): () => readonly (Page | undefined)[] {
	let feeds: readonly {readonly page: Page; readonly request: Request}[] = [];
	browser.on('request', request => {
		if (request.url().endsWith('/events')) {
			feeds = [...feeds, {page: request.frame().page(), request}];
		}
	});
	const end = (request: Request) => {
		feeds = feeds.filter(feed => feed.request !== request);
	};
	browser.on('requestfinished', end);
	browser.on('requestfailed', end);
	return () => feeds.filter(({page}) => !page.isClosed()).map(({page}) => page);
}

/** Simulates a background tab: headless Chromium reports every tab as visible. */
async function hide(page: Page): Promise<void> {
	await page.evaluate(`
		Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});
		document.dispatchEvent(new Event('visibilitychange'));
	`);
}

webTest(
	'ten windows in one browser share one event stream, which another window opens when its window closes or is hidden',
	async ({web, person}) => {
		const {id, email_address: to} = await person.api.inboxes.create({name: 'signup'});
		const browser = await web.browser();
		const followers = followersIn(browser);
		const pages = await Promise.all(Array.from({length: windows}, async () => browser.newPage()));
		const [first] = pages as [Page];
		await first.goto(await web.link(person, {inbox_id: id}));
		await first.getByRole('listbox', {name: 'Inboxes'}).getByText('signup').waitFor();
		await Promise.all(pages.slice(1).map(async page => page.goto(first.url())));
		const expectInAll = async (subject: string, pages: readonly Page[]) => {
			await web.send(to, {subject, text: `The text of the ${subject}`});
			await Promise.all(pages.map(async page => message(page, subject).waitFor()));
			await expect.poll(followers).toHaveLength(1);
		};
		await expectInAll('first mail', pages);
		expect(followers()).toEqual([first]);
		await message(pages.at(-1) as Page, 'first mail').click();
		await (pages.at(-1) as Page).getByText('The text of the first mail').waitFor();

		await first.close();
		await expectInAll('second mail', pages.slice(1));
		const [second] = followers();
		await hide(second as Page);
		await expect.poll(() => followers().includes(second)).toBe(false);
		await expectInAll('third mail', pages.slice(1));
	},
);
