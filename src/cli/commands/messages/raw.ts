import type {Command} from 'commander';
import {sanitizeText} from '../../../lib/sanitize.js';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {findMessageId, latest} from '../../find-message.js';

export type RawOptions = {readonly inbox: string; readonly message: string};

export function addRaw(parent: Command, context: Context, run = runRaw): void {
	parent
		.command('raw')
		.description('print the source of a message, byte for byte')
		.argument('<inbox>', 'its id, address or name')
		.argument('[message]', 'id of the message, or "latest"', latest)
		.action(async (inbox: string, message: string) => run({inbox, message}, context));
}

export async function runRaw({inbox: text, message}: RawOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const inbox = await findInbox(client, text);
	const source = await client.messages.raw(inbox.id, await findMessageId(client, inbox, message));
	// A terminal would execute the bytes.
	io.stdout.write(io.stdout.isTTY ? sanitizeText(source.toString()) : source);
}
