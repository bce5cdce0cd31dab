import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {findTeam} from '../../find-team.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {teamFields} from './fields.js';

export type RenameOptions = {readonly team: string; readonly name: string; readonly json?: JsonFields};

export function addRename(parent: Command, context: Context, run = runRename): void {
	parent
		.command('rename')
		.description('rename a team that you own')
		.argument('<team>', 'its id or name')
		.argument('<name>', 'its new name')
		.addOption(jsonOption(teamFields))
		.action(async (team: string, name: string, flags: Omit<RenameOptions, 'team' | 'name'>) =>
			run({team, name, ...flags}, context),
		);
}

export async function runRename({team: text, name, json}: RenameOptions, {io, account}: Context): Promise<void> {
	const client = await account();
	const {id} = await findTeam(client, text);
	const team = await client.teams.rename(id, {name});
	printResult(io, team, team.id, json);
}
