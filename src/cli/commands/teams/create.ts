import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {teamFields} from './fields.js';

export type CreateOptions = {readonly name: string; readonly json?: JsonFields};

export function addCreate(parent: Command, context: Context, run = runCreate): void {
	parent
		.command('create')
		.description('create a team that you own, and print its id')
		.argument('<name>', 'name of the team')
		.addOption(jsonOption(teamFields))
		.action(async (name: string, flags: Omit<CreateOptions, 'name'>) => run({name, ...flags}, context));
}

export async function runCreate({name, json}: CreateOptions, {io, account}: Context): Promise<void> {
	const {teams} = await account();
	const team = await teams.create({name});
	printResult(io, team, team.id, json);
}
