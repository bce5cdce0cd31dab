import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import type {Browser, BrowserContext, BrowserContextOptions} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {cliTest} from './cli.js';
import {launchChromium} from './launch-chromium.js';
import {tempDir} from './temp-dir.js';

/** A test with a Chromium that all tests of a worker share. Each test opens its own contexts (`openBrowser`). */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
export const chromiumTest = cliTest.extend('chromium', {scope: 'worker'}, async ({}, {onCleanup}) => {
	const profile = await mkdtemp(path.join(tmpdir(), 'tinbox-chromium-'));
	const started = await launchChromium(profile);
	onCleanup(async () => {
		await started.close();
		await rm(profile, {recursive: true, force: true, maxRetries: 10});
	});
	return started.browser() as Browser;
});

/** Opens a browser context, which shares only the clipboard with others. It is closed with the test. */
export async function openBrowser(chromium: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
	const browser = await chromium.newContext(options);
	onTestFinished(async () => browser.close());
	return browser;
}

/** Starts a Chromium that is closed with the test. */
export async function openChromium(args: readonly string[] = []): Promise<BrowserContext> {
	const browser = await launchChromium(await tempDir(), args);
	onTestFinished(async () => browser.close());
	return browser;
}

export {chromiumPath} from './launch-chromium.js';
