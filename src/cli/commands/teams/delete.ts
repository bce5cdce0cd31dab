import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findTeam} from '../../find-team.js';
import {note} from '../../output.js';

export type DeleteOptions = {readonly team: string};

export function addDelete(parent: Command, context: Context, run = runDelete): void {
	parent
		.command('delete')
		.description('delete a team that you own; its inboxes stay with those who made them')
		.argument('<team>', 'its id or name')
		.action(async (team: string) => run({team}, context));
}

export async function runDelete({team: text}: DeleteOptions, {io, account}: Context): Promise<void> {
	const client = await account();
	const {id, name} = await findTeam(client, text);
	await client.teams.delete(id);
	note(io, `Deleted ${name}.`);
}
