import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {usageError} from '../../exit.js';
import {findInbox} from '../../find-inbox.js';
import {teamId} from '../../find-team.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {inboxFields} from './fields.js';

export type UpdateOptions = {
	readonly inbox: string;
	readonly name?: string;
	/** False takes it out of its team. */
	readonly team?: string | false;
	readonly json?: JsonFields;
};

export function addUpdate(parent: Command, context: Context, run = runUpdate): void {
	parent
		.command('update')
		.description('rename an inbox, or give it to a team')
		.argument('<inbox>', 'its id, address or name')
		.option('--name <name>', 'its new name')
		.option('--team <team>', 'share it with this team, by id or name')
		.option('--no-team', 'share it with no team')
		.addOption(jsonOption(inboxFields))
		.action(async (inbox: string, flags: Omit<UpdateOptions, 'inbox'>) => run({inbox, ...flags}, context));
}

export async function runUpdate({inbox: text, name, team, json}: UpdateOptions, context: Context): Promise<void> {
	if (name === undefined && team === undefined) {
		throw usageError('There is nothing to change.', 'Say what with --name, --team or --no-team.');
	}

	const client = await context.api();
	const {id} = await findInbox(client, text);
	const inbox = await client.inboxes.update(id, {
		...(name !== undefined && {name}),
		...(team !== undefined && {team_id: team === false ? null : await teamId(team, context)}),
	});
	printResult(context.io, inbox, inbox.email_address, json);
}
