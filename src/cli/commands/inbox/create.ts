import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {teamId} from '../../find-team.js';
import {durationOption, type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {inboxFields} from './fields.js';

export type CreateOptions = {
	readonly name?: string;
	readonly address?: string;
	readonly team?: string;
	/** Milliseconds. */
	readonly ttl?: number;
	readonly json?: JsonFields;
};

export function addCreate(parent: Command, context: Context, run = runCreate): void {
	const command = parent.command('create').description('create an inbox and print its address');
	addExamples(command, 'addr=$(tinbox inbox create)', "tinbox inbox create --address '*@shop.test' --ttl 1h")
		.option('--name <name>', 'a name by which you can call it')
		.option('--address <address>', 'an address of your choice, "*@domain" for a whole domain, "*" for all other mail')
		.option('--team <team>', 'share it with this team, by id or name')
		.addOption(durationOption('--ttl <duration>', 'delete it with its mail after this time'))
		.addOption(jsonOption(inboxFields))
		.action(async (options: CreateOptions) => run(options, context));
}

export async function runCreate({name, address, team, ttl, json}: CreateOptions, context: Context): Promise<void> {
	const {inboxes} = await context.api();
	const inbox = await inboxes.create({
		...(name !== undefined && {name}),
		...(address !== undefined && {email_address: address}),
		...(team !== undefined && {team_id: await teamId(team, context)}),
		...(ttl !== undefined && {ttl: Math.ceil(ttl / 1000)}),
	});
	printResult(context.io, inbox, inbox.email_address, json);
}
