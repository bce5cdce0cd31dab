import type {Command} from 'commander';
import type {MemberBody} from '../../../contract/teams.js';
import {ago} from '../../ago.js';
import type {Context} from '../../context.js';
import {findTeam} from '../../find-team.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printJson, printProperties} from '../../output.js';
import {type Column, printTable} from '../../table.js';
import {teamFields} from './fields.js';

export type ShowOptions = {readonly team: string; readonly json?: JsonFields};

export function addShow(parent: Command, context: Context, run = runShow): void {
	parent
		.command('show')
		.description('show a team and its members')
		.argument('<team>', 'its id or name')
		.addOption(jsonOption(teamFields))
		.action(async (team: string, flags: Omit<ShowOptions, 'team'>) => run({team, ...flags}, context));
}

export async function runShow({team: text, json}: ShowOptions, {io, account, now}: Context): Promise<void> {
	const team = await findTeam(await account(), text);
	if (json) {
		printJson(io, team, json);
		return;
	}

	const {members, ...properties} = team;
	printProperties(io, properties);
	io.stdout.write('\n');
	await printTable(io, columns(now()), members);
}

function columns(now: Date): readonly Column<MemberBody>[] {
	return [
		{header: 'MEMBER', value: member => member.user_email, flexible: true},
		{header: 'NAME', value: member => member.user_name, flexible: true},
		{header: 'ROLE', value: member => member.role},
		{header: 'JOINED', value: member => member.joined_at, show: member => ago(member.joined_at, now)},
		{header: 'ID', value: member => member.user_id},
	];
}
