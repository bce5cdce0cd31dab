import type {Command} from 'commander';
import type {TeamBody} from '../../../contract/teams.js';
import {ago} from '../../ago.js';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {noteOnTerminal, printJsonList} from '../../output.js';
import {type Column, printTable} from '../../table.js';
import {teamFields} from './fields.js';

export type ListOptions = {readonly json?: JsonFields};

export function addList(parent: Command, context: Context, run = runList): void {
	parent
		.command('list')
		.description('list your teams, the newest first')
		.addOption(jsonOption(teamFields))
		.action(async (options: ListOptions) => run(options, context));
}

export async function runList({json}: ListOptions, {io, account, now}: Context): Promise<void> {
	const {teams} = await account();
	const rows = await teams.list();
	if (json) {
		printJsonList(io, rows, rows, json);
		return;
	}

	await printTable(io, columns(now()), rows);
	if (rows.length === 0) {
		noteOnTerminal(io, 'You are in no team yet. Create one: tinbox teams create <name>');
	}
}

function columns(now: Date): readonly Column<TeamBody>[] {
	return [
		{header: 'NAME', value: team => team.name, flexible: true},
		{header: 'OWNER', value: ownerEmail, flexible: true},
		{header: 'MEMBERS', value: team => String(team.members.length)},
		{header: 'CREATED', value: team => team.created_at, show: team => ago(team.created_at, now)},
		{header: 'ID', value: team => team.id},
	];
}

function ownerEmail({members}: TeamBody): string {
	return members.find(({role}) => role === 'owner')?.user_email ?? '';
}
