import {type Command, Option} from 'commander';
import {type InvitedRole, invitedRoles} from '../../contract/constants.js';
import {inviteFields, teamFields} from '../../contract/field-names.js';
import type {MemberBody, TeamBody} from '../../contract/teams.js';
import {readSecret, stdinName} from '../connect/credentials.js';
import type {Context} from '../context.js';
import {findTeam} from '../find.js';
import {addExamples, type JsonFlag, jsonOption} from '../options.js';
import {notFound} from '../output/exit.js';
import {note, printProperties, printResult} from '../output/print.js';
import {printTable, type TableColumn, timeColumn} from '../output/table.js';
import {fillDelete, fillList, fillShow} from './list-show-delete.js';

export function addTeamsCommands(teams: Command, context: Context): void {
	addCreate(teams, context);
	addList(teams, context);
	addShow(teams, context);
	addRename(teams, context);
	addDelete(teams, context);
	addInvite(teams, context);
	addAccept(teams, context);
	addRemove(teams, context);
}

function addCreate(teams: Command, {io, account}: Context): void {
	teams
		.command('create')
		.description('create a team and print its id')
		.argument('<name>', 'name of the team')
		.addOption(jsonOption(teamFields))
		.action(async (name: string, {json}: JsonFlag) => {
			const team = await (await account()).teams.create({name});
			printResult(io, team, team.id, json);
		});
}

function addList(teams: Command, context: Context): void {
	fillList(teams.command('list').description('list your teams, newest first'), context, {
		fields: teamFields,
		columns,
		async load() {
			const rows = await (await context.account()).teams.list();
			return {rows, none: 'You are not in a team yet. Create one: tinbox teams create <name>'};
		},
	});
}

const columns: readonly TableColumn<TeamBody>[] = [
	{header: 'NAME', value: team => team.name, flexible: true},
	{header: 'OWNER', value: ownerEmail, flexible: true},
	{header: 'MEMBERS', value: team => String(team.members.length)},
	timeColumn('CREATED', team => team.created_at),
	{header: 'ID', value: team => team.id},
];

function ownerEmail({members}: TeamBody): string {
	return members.find(({role}) => role === 'owner')?.user_email ?? '';
}

function addShow(teams: Command, context: Context): void {
	const command = teams.command('show').description('show a team and its members');
	fillShow(command.argument('<team>', 'id or name'), context, {
		fields: teamFields,
		find: async name => findTeam(await context.account(), name),
		async print({members, ...properties}) {
			printProperties(context.io, properties);
			context.io.stdout.write('\n');
			await printTable(context, memberColumns, members);
		},
	});
}

const memberColumns: readonly TableColumn<MemberBody>[] = [
	{header: 'MEMBER', value: member => member.user_email, flexible: true},
	{header: 'NAME', value: member => member.user_name, flexible: true},
	{header: 'ROLE', value: member => member.role},
	timeColumn('JOINED', member => member.joined_at),
	{header: 'ID', value: member => member.user_id},
];

function addRename(teams: Command, {io, account}: Context): void {
	teams
		.command('rename')
		.description('rename a team that you own')
		.argument('<team>', 'id or name')
		.argument('<name>', 'new name')
		.addOption(jsonOption(teamFields))
		.action(async (text: string, name: string, {json}: JsonFlag) => {
			const client = await account();
			const {id} = await findTeam(client, text);
			const team = await client.teams.rename(id, {name});
			printResult(io, team, team.id, json);
		});
}

function addDelete(teams: Command, context: Context): void {
	const command = teams.command('delete').description('delete a team that you own; members keep their inboxes');
	fillDelete(command.argument('<team>', 'id or name'), context, {
		connect: context.account,
		find: findTeam,
		remove: (client, {id}) => client.teams.delete(id),
		done: ({name}) => `Deleted ${name}.`,
	});
}

function addInvite(teams: Command, {io, account}: Context): void {
	const roleOption = new Option('--role <role>', 'role; admins can invite and remove members');
	addExamples(
		teams.command('invite').description('invite a user to a team and print the invite token'),
		'tinbox teams invite Shop bob@example.com --role admin',
	)
		.argument('<team>', 'id or name')
		.argument('<email>', 'email address of the user to invite')
		.addOption(roleOption.choices(invitedRoles).default('member'))
		.addOption(jsonOption(inviteFields))
		.action(async (text: string, email: string, {role, json}: JsonFlag & {readonly role: InvitedRole}) => {
			const client = await account();
			const {id, name} = await findTeam(client, text);
			const invite = await client.teams.invite(id, {email, role});
			const remark = `${invite.email} can join ${name} until ${invite.expiresAt}: tinbox teams accept <token>`;
			printResult(io, invite, invite.token, json, remark);
		});
}

function addAccept(teams: Command, {io, account}: Context): void {
	addExamples(
		teams.command('accept').description('join a team with an invite token and print its id'),
		'tinbox teams accept - < invite.txt',
	)
		.argument('<token>', `invite token, or "${stdinName}" to read it from stdin`)
		.addOption(jsonOption(teamFields))
		.action(async (text: string, {json}: JsonFlag) => {
			const token = text === stdinName ? await readSecret(io, 'invite') : text;
			const team = await (await account()).teams.accept({token});
			printResult(io, team, team.id, json, `You are now a member of ${team.name}.`);
		});
}

function addRemove(teams: Command, {io, account}: Context): void {
	teams
		.command('remove')
		.description('remove a member from a team')
		.argument('<team>', 'id or name')
		.argument('<member>', 'user id or email address')
		.action(async (text: string, member: string) => {
			const client = await account();
			const team = await findTeam(client, text);
			const {user_id, user_email} = findMember(team, member);
			await client.teams.removeMember(team.id, user_id);
			note(io, `Removed ${user_email} from ${team.name}.`);
		});
}

/** The member with this user id or email address. */
function findMember({name, members}: TeamBody, text: string): MemberBody {
	const email = text.toLowerCase();
	const found = members.find(({user_id, user_email}) => user_id === text || user_email.toLowerCase() === email);
	if (!found) {
		const hint = `List all members: tinbox teams show ${JSON.stringify(name)}`;
		throw notFound(`There is no member "${text}" in ${name}.`, hint);
	}

	return found;
}
