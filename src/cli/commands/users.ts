import {type Command, Option} from 'commander';
import type {Client} from '../../client/index.js';
import {type Plan, plans} from '../../contract/constants.js';
import {planFields, tokenFields, userFields} from '../../contract/field-names.js';
import type {PlanBody, UserBody} from '../../contract/users.js';
import type {Context} from '../context.js';
import {addExamples, addHelpNote, durationOption, type JsonFlag, jsonOption, lifetime} from '../options.js';
import {notFound, usageError} from '../output/exit.js';
import {printResult} from '../output/print.js';
import type {TableColumn} from '../output/table.js';
import {fillDelete, fillList} from './list-show-delete.js';

const columns: readonly TableColumn<UserBody>[] = [
	{header: 'EMAIL', value: user => user.email, flexible: true},
	{header: 'NAME', value: user => user.name, flexible: true},
	{header: 'PLAN', value: user => user.plan},
	{header: 'ID', value: user => user.id},
];

export function addUsersCommands(users: Command, context: Context): void {
	addCreate(users, context);
	fillList(users.command('list').description('list all users'), context, {
		fields: userFields,
		columns,
		async load() {
			const body = await (await context.operator()).users.list();
			return {rows: body.users, body};
		},
	});
	addUpdate(users, context);
	const command = users.command('delete').description('delete a user with all inboxes, keys, teams and webhooks');
	fillDelete(command.argument('<user>', 'id or email address'), context, {
		connect: context.operator,
		find: findUser,
		remove: (client, {id}) => client.users.delete(id),
		done: ({email}) => `Deleted ${email}.`,
	});
	addToken(users, context);
}

function addCreate(users: Command, {io, operator}: Context): void {
	addExamples(
		users.command('create').description('create a user and print its id'),
		'tinbox users create ann@example.com --name Ann --plan pro',
	)
		.argument('<email>', 'email address')
		.option('--name <name>', 'name (default: the email address)')
		.addOption(planOption().default('free'))
		.addOption(jsonOption(userFields))
		.action(
			async (email: string, {name = email, plan, json}: JsonFlag & {readonly name?: string; readonly plan: Plan}) => {
				const user = await (await operator()).users.create({name, email, plan});
				printResult(io, user, user.id, json);
			},
		);
}

function addUpdate(users: Command, {io, operator}: Context): void {
	users
		.command('update')
		.description('change the name or plan of a user')
		.argument('<user>', 'id or email address')
		.option('--name <name>', 'new name')
		.addOption(planOption())
		.addOption(jsonOption(userFields))
		.action(async (text: string, {name, plan, json}: JsonFlag & {readonly name?: string; readonly plan?: Plan}) => {
			if (name === undefined && plan === undefined) {
				throw usageError('There is nothing to change.', 'Use --name or --plan.');
			}

			const client = await operator();
			const {id} = await findUser(client, text);
			const user = await client.users.update(id, {name, plan});
			printResult(io, user, user.id, json);
		});
}

function addToken(users: Command, {io, operator}: Context): void {
	const lifetimeOption = durationOption('--expires-in <duration>', 'lifetime of the token', lifetime);
	addExamples(
		users.command('token').description('create a login token for a user and print it'),
		'tinbox users token ann@example.com --expires-in 7d > ann.token',
		'tinbox login --profile ann < ann.token',
	)
		.argument('<user>', 'id or email address')
		.addOption(lifetimeOption.default(30 * 86_400_000, '30d'))
		.addOption(jsonOption(tokenFields))
		.action(async (text: string, {expiresIn, json}: JsonFlag & {readonly expiresIn: number}) => {
			const client = await operator();
			const {id} = await findUser(client, text);
			const body = await client.users.createToken(id, {expires_in: Math.ceil(expiresIn / 1000)});
			printResult(io, body, body.token, json);
		});
}

function planOption(): Option {
	return new Option('--plan <plan>', 'plan of the user').choices(plans);
}

/** The user with this id or email address. */
async function findUser({users}: Pick<Client, 'users'>, text: string): Promise<UserBody> {
	const all = (await users.list()).users;
	const found = all.find(({id}) => id === text) ?? all.find(({email}) => email.toLowerCase() === text.toLowerCase());
	if (!found) {
		throw notFound(`There is no user "${text}".`, 'List all users: tinbox users list');
	}

	return found;
}

export function fillPlans(command: Command, context: Context): void {
	addHelpNote(command, 'The member limit includes the owner and open invites. The plan of the team owner applies.');
	fillList(command, context, {
		fields: planFields,
		columns: planColumns,
		async load() {
			const {access, api, account} = context;
			const {apiKey, token} = await access();
			const client = await (apiKey === null && token !== null ? account() : api());
			return {rows: (await client.plans.list()).plans};
		},
	});
}

const planColumns: readonly TableColumn<PlanBody>[] = [
	{header: 'PLAN', value: row => row.plan},
	{header: 'TEAMS', value: ({teams}) => show(teams)},
	{header: 'MEMBERS PER TEAM', value: ({members}) => show(members)},
	{header: 'API KEYS', value: ({keys}) => show(keys)},
];

function show(limit: number | null): string {
	return limit === null ? 'unlimited' : String(limit);
}
