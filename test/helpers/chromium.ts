import type {BrowserContext} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {launchChromium} from './launch-chromium.js';
import {tempDir} from './temp-dir.js';

export {chromiumPath} from './launch-chromium.js';

/** Opens a Chromium that ends with the test. */
export async function openChromium(args: readonly string[] = []): Promise<BrowserContext> {
	const browser = await launchChromium(await tempDir(), args);
	onTestFinished(async () => browser.close());
	return browser;
}
