import type {Command} from 'commander';
import type {Context} from './context.js';
import {Exit, exitCodes} from './output/exit.js';
import {note, printLine} from './output/print.js';

export type BrowserFlag = {readonly browser: boolean};

/** Adds `--no-browser` to a command that opens a page. `lifetime` of the link is part of the help text. */
export function addBrowserFlag(command: Command, lifetime: string): Command {
	return command.option('--no-browser', `only print the link (${lifetime})`);
}

/** Prints the URL of a page and opens it in the browser unless `--no-browser` is set. Throws `Exit` for a URL of another server. */
export async function showPage({io, access}: Context, url: string, {browser}: BrowserFlag): Promise<void> {
	printLine(io, url);
	if (!browser) {
		return;
	}

	const {openBrowser} = await import('../lib/io/browse.js');
	const browsed = await openBrowser(url, (await access()).url);
	if (browsed === 'failed') {
		note(io, 'Could not start a browser. Open the address manually.');
	} else if (browsed === 'foreign') {
		throw new Exit(
			exitCodes.failed,
			'foreign_page',
			'The page was not opened because its address does not belong to the daemon in use.',
		);
	}
}
