import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {note, printResult} from '../../output.js';
import {readSecret, stdinName} from '../../read-secret.js';
import {teamFields} from './fields.js';

export type AcceptOptions = {readonly token: string; readonly json?: JsonFields};

export function addAccept(parent: Command, context: Context, run = runAccept): void {
	addExamples(
		parent.command('accept').description('join a team with the token of an invite, and print its id'),
		'tinbox teams accept - < invite.txt',
	)
		.argument('<token>', `the token, or "${stdinName}" to read it from stdin`)
		.addOption(jsonOption(teamFields))
		.action(async (token: string, flags: Omit<AcceptOptions, 'token'>) => run({token, ...flags}, context));
}

export async function runAccept({token, json}: AcceptOptions, {io, account}: Context): Promise<void> {
	const given = token === stdinName ? await readSecret(io, 'invite') : token;
	const {teams} = await account();
	const team = await teams.accept({token: given});
	printResult(io, team, team.id, json);
	if (!json) {
		note(io, `You are a member of ${team.name} now.`);
	}
}
