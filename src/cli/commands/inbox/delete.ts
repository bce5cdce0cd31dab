import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {note} from '../../output.js';

export type DeleteOptions = {readonly inboxes: readonly string[]};

export function addDelete(parent: Command, context: Context, run = runDelete): void {
	parent
		.command('delete')
		.description('delete inboxes with all their messages, for good')
		.argument('<inbox...>', 'id, address or name')
		.action(async (inboxes: readonly string[]) => run({inboxes}, context));
}

export async function runDelete({inboxes}: DeleteOptions, {io, api}: Context): Promise<void> {
	const client = await api();
	const found = await Promise.all(inboxes.map(text => findInbox(client, text)));
	for (const {id, email_address, message_count} of found) {
		await client.inboxes.delete(id);
		note(io, `Deleted ${email_address} with ${message_count} ${message_count === 1 ? 'message' : 'messages'}.`);
	}
}
