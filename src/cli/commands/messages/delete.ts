import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {findMessageId} from '../../find-message.js';
import {note} from '../../output.js';

export type DeleteOptions = {readonly inbox: string; readonly message: string};

export function addDelete(parent: Command, context: Context, run = runDelete): void {
	parent
		.command('delete')
		.description('delete a message, for good')
		.argument('<inbox>', 'its id, address or name')
		.argument('<message>', 'id of the message, or "latest"')
		.action(async (inbox: string, message: string) => run({inbox, message}, context));
}

export async function runDelete({inbox: text, message}: DeleteOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const inbox = await findInbox(client, text);
	const id = await findMessageId(client, inbox, message);
	await client.messages.delete(inbox.id, id);
	note(io, `Deleted message ${id}.`);
}
