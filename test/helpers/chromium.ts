import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {type BrowserContext, chromium} from 'playwright-core';
import {onTestFinished} from 'vitest';
import {tempDir} from './temp-dir.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine; undefined where there is none on the PATH. */
export const chromiumPath = (process.env['PATH'] ?? '')
	.split(path.delimiter)
	.flatMap(folder => names.map(name => path.join(folder, name)))
	.find(isExecutable);

/**
 * Opens it without a window, as a person's browser: with a profile of its own, for one without connects less ahead of
 * time. It ends with the test.
 */
export async function openChromium(args: readonly string[] = []): Promise<BrowserContext> {
	// Its own sandbox refuses to run as root.
	const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
	const browser = await chromium.launchPersistentContext(await tempDir(), {
		executablePath: chromiumPath ?? '',
		args: [...sandbox, ...args],
	});
	onTestFinished(async () => browser.close());
	return browser;
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
