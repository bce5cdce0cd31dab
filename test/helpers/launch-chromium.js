import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {chromium} from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of the installed Chromium; undefined if there is none on the PATH. */
export const chromiumPath = (process.env['PATH'] ?? '')
	.split(path.delimiter)
	.flatMap(folder => names.map(name => path.join(folder, name)))
	.find(isExecutable);

/**
 * Starts a headless Chromium with a persistent profile, which preconnects like a user's browser.
 * @param {string} profile an empty folder
 * @param {readonly string[]} [args]
 */
export async function launchChromium(profile, args = []) {
	// The sandbox of Chromium cannot run as root.
	const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
	return chromium.launchPersistentContext(profile, {
		executablePath: chromiumPath ?? '',
		args: [...sandbox, ...args],
	});
}

/** @param {string} file */
function isExecutable(file) {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
