import {rm} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {launchChromium} from '../../test/helpers/launch-chromium.js';
import {post, temporary} from '../servers/start.js';

/**
 * Runs `look` with a page in a new Chromium without a cache.
 * @template T
 * @param {(page: import('playwright-core').Page, bytes: () => number) => Promise<T>} look `bytes` returns the bytes received so far
 */
export async function inBrowser(look) {
	const profile = await temporary('chromium');
	const browser = await launchChromium(profile);
	try {
		const [page = await browser.newPage()] = browser.pages();
		await page.setViewportSize({width: 1440, height: 900});
		return await look(page, await countBytes(page));
	} finally {
		await browser.close();
		await rm(profile, {recursive: true, force: true, maxRetries: 10});
	}
}

/**
 * Counts received bytes including headers, also of incomplete responses.
 * @param {import('playwright-core').Page} page
 */
async function countBytes(page) {
	const protocol = await page.context().newCDPSession(page);
	/** @type {Map<string, number>} */
	const bytes = new Map();
	const add = (/** @type {string} */ id, /** @type {number} */ count) => bytes.set(id, (bytes.get(id) ?? 0) + count);
	protocol.on('Network.responseReceived', ({requestId, response}) => add(requestId, response.encodedDataLength));
	protocol.on('Network.dataReceived', ({requestId, encodedDataLength}) => add(requestId, encodedDataLength));
	protocol.on('Network.loadingFinished', ({requestId, encodedDataLength}) => bytes.set(requestId, encodedDataLength));
	await protocol.send('Network.enable');
	return () => [...bytes.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * Milliseconds from the start of a navigation until a text is rendered.
 * @param {import('playwright-core').Page} page
 * @param {string} url
 * @param {string} text
 * @returns {Promise<number>}
 */
export async function openUntilShown(page, url, text) {
	await page.addInitScript(`
		const look = () => document.body?.innerText.includes(${JSON.stringify(text)})
			? requestAnimationFrame(() => { globalThis.shownAt = performance.now(); })
			: requestAnimationFrame(look);
		look();
	`);
	await page.goto(url);
	for (let tries = 0; tries < 600; tries++) {
		const shownAt = await page.evaluate('globalThis.shownAt');
		if (typeof shownAt === 'number') {
			return shownAt;
		}

		await sleep(50);
	}

	throw new Error(`${url} did not show "${text}".`);
}

/**
 * Creates a single-use login link for the web app at an inbox.
 * @param {{url: string, key: string, inboxId: string}} place
 * @returns {Promise<string>}
 */
export async function linkTo({url, key, inboxId}) {
	const {url: link} = await post(`${url}/web-sessions/links`, {'x-api-key': key}, {inbox_id: inboxId});
	return link;
}

/**
 * The rendered rows of the message list.
 * @param {import('playwright-core').Page} page
 */
export function messageRows(page) {
	return page.getByRole('listbox', {name: 'Messages'}).getByRole('option');
}
