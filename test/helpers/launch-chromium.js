import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {chromium} from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine; undefined where there is none on the PATH. */
export const chromiumPath = (process.env['PATH'] ?? '')
	.split(path.delimiter)
	.flatMap(folder => names.map(name => path.join(folder, name)))
	.find(isExecutable);

/**
 * Starts it without a window, as a person's browser: with a profile of its own, for one without connects less ahead of
 * time.
 * @param {string} profile an empty folder
 * @param {readonly string[]} [args]
 */
export async function launchChromium(profile, args = []) {
	// Its own sandbox refuses to run as root.
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
