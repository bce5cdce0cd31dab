import type {BrowserContext, Page, Request} from 'playwright-core';
import {expect} from 'vitest';
import {webTest} from './web-world.js';

/** A browser has six connections to a host. */
const windows = 10;

const message = (page: Page, subject: string) => page.getByRole('listbox', {name: 'Messages'}).getByText(subject);

/** The pages that follow the feed, in the order in which they began to. */
function followersIn(browser: BrowserContext): () => readonly (Page | undefined)[] {
	let feeds: readonly {readonly page: Page; readonly of: Request}[] = [];
	browser.on('request', request => {
		if (request.url().endsWith('/events')) {
			feeds = [...feeds, {page: request.frame().page(), of: request}];
		}
	});
	const end = (request: Request) => {
		feeds = feeds.filter(({of}) => of !== request);
	};
	browser.on('requestfinished', end);
	browser.on('requestfailed', end);
	return () => feeds.filter(({page}) => !page.isClosed()).map(({page}) => page);
}

/** Has a tab believe that it is in the background; without a window, Chromium takes all for in view. */
async function hide(page: Page): Promise<void> {
	await page.evaluate(`
		Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});
		document.dispatchEvent(new Event('visibilitychange'));
	`);
}

webTest(
	'ten windows in one browser are live by one connection, which goes from one to the next',
	async ({web, person}) => {
		const {id, email_address: to} = await person.api.inboxes.create({name: 'signup'});
		const browser = await web.browser();
		const followers = followersIn(browser);
		const pages = await Promise.all(Array.from({length: windows}, async () => browser.newPage()));
		const [first] = pages as [Page];
		await first.goto(await web.link(person, {inbox_id: id}));
		await first.getByRole('listbox', {name: 'Inboxes'}).getByText('signup').waitFor();
		await Promise.all(pages.slice(1).map(async page => page.goto(first.url())));
		const expectEverywhere = async (subject: string, among: readonly Page[]) => {
			await web.send(to, {subject, text: `The text of the ${subject}`});
			await Promise.all(among.map(async page => message(page, subject).waitFor()));
			await expect.poll(followers).toHaveLength(1);
		};
		await expectEverywhere('first mail', pages);
		expect(followers()).toEqual([first]);
		await message(pages.at(-1) as Page, 'first mail').click();
		await (pages.at(-1) as Page).getByText('The text of the first mail').waitFor();

		await first.close();
		await expectEverywhere('second mail', pages.slice(1));
		const [second] = followers();
		await hide(second as Page);
		await expect.poll(() => followers().includes(second)).toBe(false);
		await expectEverywhere('third mail', pages.slice(1));
	},
);
