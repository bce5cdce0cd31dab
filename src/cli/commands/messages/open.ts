import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {findMessageId, latest} from '../../find-message.js';
import {note, printLine} from '../../output.js';

export type OpenOptions = {readonly inbox: string; readonly message: string; readonly browser: boolean};

export function addOpen(parent: Command, context: Context, run = runOpen): void {
	parent
		.command('open')
		.description('show a message in the browser, and print the address of the page')
		.argument('<inbox>', 'its id, address or name')
		.argument('[message]', 'id of the message, or "latest"', latest)
		.option('--no-browser', 'only print the address, which works for ten minutes')
		.action(async (inbox: string, message: string, flags: Pick<OpenOptions, 'browser'>) =>
			run({inbox, message, ...flags}, context),
		);
}

export async function runOpen({inbox: text, message, browser}: OpenOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const inbox = await findInbox(client, text);
	const {url} = await client.messages.preview(inbox.id, await findMessageId(client, inbox, message));
	printLine(io, url);
	if (browser) {
		const {browse} = await import('../../../lib/browse.js');
		if (!(await browse(url))) {
			note(io, 'No browser could be started. Open the address yourself.');
		}
	}
}
