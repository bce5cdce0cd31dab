import type {Command} from 'commander';
import type {UserBody} from '../../../contract/users.js';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printJsonList} from '../../output.js';
import {type Column, printTable} from '../../table.js';
import {userFields} from './fields.js';

export type ListOptions = {readonly json?: JsonFields};

export function addList(parent: Command, context: Context, run = runList): void {
	parent
		.command('list')
		.description('list all users')
		.addOption(jsonOption(userFields))
		.action(async (options: ListOptions) => run(options, context));
}

export async function runList({json}: ListOptions, {io, operator}: Context): Promise<void> {
	const {users} = await operator();
	const body = await users.list();
	if (json) {
		printJsonList(io, body, body.users, json);
	} else {
		await printTable(io, columns, body.users);
	}
}

const columns: readonly Column<UserBody>[] = [
	{header: 'EMAIL', value: user => user.email, flexible: true},
	{header: 'NAME', value: user => user.name, flexible: true},
	{header: 'PLAN', value: user => user.plan},
	{header: 'ID', value: user => user.id},
];
