import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findMember, findTeam} from '../../find-team.js';
import {note} from '../../output.js';

export type RemoveOptions = {readonly team: string; readonly member: string};

export function addRemove(parent: Command, context: Context, run = runRemove): void {
	parent
		.command('remove')
		.description('remove a member, whose access to the team’s inboxes ends at once')
		.argument('<team>', 'its id or name')
		.argument('<member>', 'user id or email address')
		.action(async (team: string, member: string) => run({team, member}, context));
}

export async function runRemove({team: text, member}: RemoveOptions, {io, account}: Context): Promise<void> {
	const client = await account();
	const team = await findTeam(client, text);
	const {user_id, user_email} = findMember(team, member);
	await client.teams.removeMember(team.id, user_id);
	note(io, `Removed ${user_email} from ${team.name}.`);
}
