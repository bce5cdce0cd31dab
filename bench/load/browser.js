import {rm} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {launchChromium} from '../../test/helpers/launch-chromium.js';
import {post, temporary} from '../servers/start.js';

/**
 * Looks at a page in a Chromium of its own, which has nothing in its cache.
 * @template T
 * @param {(page: import('playwright-core').Page, bytes: () => number) => Promise<T>} look is told the bytes that came over the network so far
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
 * With headers, as they were sent. Of an answer that goes on it counts what came.
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
 * Milliseconds from the beginning of a navigation until a text is on the screen.
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
 * A link that opens the page of tinbox once, logged in, at an inbox.
 * @param {{url: string, key: string, inboxId: string}} place
 * @returns {Promise<string>}
 */
export async function linkTo({url, key, inboxId}) {
	const {url: link} = await post(`${url}/web-sessions/links`, {'x-api-key': key}, {inbox_id: inboxId});
	return link;
}

/**
 * The rows of the list of messages that are there to be seen.
 * @param {import('playwright-core').Page} page
 */
export function messageRows(page) {
	return page.getByRole('listbox', {name: 'Messages'}).getByRole('option');
}
