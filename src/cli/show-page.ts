import type {Command} from 'commander';
import type {Context} from './context.js';
import {Exit, exitCodes} from './output/exit.js';
import {note, printLine} from './output/print.js';

export type BrowserFlag = {readonly browser: boolean};

/** Lets a command that shows a page leave that to the user; `address` says of the address what there is to know. */
export function addBrowserFlag(command: Command, address: string): Command {
	return command.option('--no-browser', `only print the address, ${address}`);
}

/** Prints the address of a page of the daemon, and shows it in the browser unless the flag says no. */
export async function showPage({io, access}: Context, url: string, {browser}: BrowserFlag): Promise<void> {
	printLine(io, url);
	if (!browser) {
		return;
	}

	const {browse} = await import('../lib/browse.js');
	const browsed = await browse(url, (await access()).url);
	if (browsed === 'failed') {
		note(io, 'No browser could be started. Open the address yourself.');
	} else if (browsed === 'foreign') {
		throw new Exit(exitCodes.failed, 'foreign_page', 'It was not opened, for it is no page of the daemon in use.');
	}
}
