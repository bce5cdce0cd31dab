import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {note} from '../../output.js';
import {findUser} from './find-user.js';

export type DeleteOptions = {readonly user: string};

export function addDelete(parent: Command, context: Context, run = runDelete): void {
	parent
		.command('delete')
		.description('delete a user with all inboxes, keys, teams and webhooks, for good')
		.argument('<user>', 'id or email address')
		.action(async (user: string) => run({user}, context));
}

export async function runDelete({user: text}: DeleteOptions, {io, operator}: Context): Promise<void> {
	const client = await operator();
	const {id, email} = await findUser(client, text);
	await client.users.delete(id);
	note(io, `Deleted ${email}.`);
}
