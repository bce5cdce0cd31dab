import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {usageError} from '../../exit.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {type Plan, planOption, userFields} from './fields.js';
import {findUser} from './find-user.js';

export type UpdateOptions = {
	readonly user: string;
	readonly name?: string;
	readonly plan?: Plan;
	readonly json?: JsonFields;
};

export function addUpdate(parent: Command, context: Context, run = runUpdate): void {
	parent
		.command('update')
		.description('rename a user, or change the plan')
		.argument('<user>', 'id or email address')
		.option('--name <name>', 'the new name')
		.addOption(planOption())
		.addOption(jsonOption(userFields))
		.action(async (user: string, flags: Omit<UpdateOptions, 'user'>) => run({user, ...flags}, context));
}

export async function runUpdate({user: text, name, plan, json}: UpdateOptions, {io, operator}: Context): Promise<void> {
	if (name === undefined && plan === undefined) {
		throw usageError('There is nothing to change.', 'Say what with --name or --plan.');
	}

	const client = await operator();
	const {id} = await findUser(client, text);
	const user = await client.users.update(id, {...(name !== undefined && {name}), ...(plan && {plan})});
	printResult(io, user, user.id, json);
}
