import {type Command, Option} from 'commander';
import type {InviteBody} from '../../../contract/teams.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {findTeam} from '../../find-team.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {note, printResult} from '../../output.js';
import {inviteFields} from './fields.js';

export type InviteOptions = {
	readonly team: string;
	readonly email: string;
	readonly role: InviteBody['role'];
	readonly json?: JsonFields;
};

const roles: readonly InviteBody['role'][] = ['member', 'admin'];

export function addInvite(parent: Command, context: Context, run = runInvite): void {
	addExamples(
		parent.command('invite').description('invite somebody into a team and print the token to join with'),
		'tinbox teams invite Shop bob@example.com --role admin',
	)
		.argument('<team>', 'its id or name')
		.argument('<email>', 'email address of the user to invite')
		.addOption(
			new Option('--role <role>', 'what the user may do: admins invite and remove').choices(roles).default('member'),
		)
		.addOption(jsonOption(inviteFields))
		.action(async (team: string, email: string, flags: Omit<InviteOptions, 'team' | 'email'>) =>
			run({team, email, ...flags}, context),
		);
}

export async function runInvite({team: text, email, role, json}: InviteOptions, {io, account}: Context): Promise<void> {
	const client = await account();
	const {id, name} = await findTeam(client, text);
	const invite = await client.teams.invite(id, {email, role});
	printResult(io, invite, invite.token, json);
	if (!json) {
		note(io, `Until ${invite.expiresAt}, ${invite.email} joins ${name} with: tinbox teams accept <token>`);
	}
}
