import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {type Plan, planOption, userFields} from './fields.js';

export type CreateOptions = {
	readonly email: string;
	readonly name?: string;
	readonly plan: Plan;
	readonly json?: JsonFields;
};

export function addCreate(parent: Command, context: Context, run = runCreate): void {
	addExamples(
		parent.command('create').description('create a user and print the id'),
		'tinbox users create ann@example.com --name Ann --plan pro',
	)
		.argument('<email>', 'email address of the user')
		.option('--name <name>', 'name of the user (default: the email address)')
		.addOption(planOption().default('free'))
		.addOption(jsonOption(userFields))
		.action(async (email: string, flags: Omit<CreateOptions, 'email'>) => run({email, ...flags}, context));
}

export async function runCreate(
	{email, name = email, plan, json}: CreateOptions,
	{io, operator}: Context,
): Promise<void> {
	const {users} = await operator();
	const user = await users.create({name, email, plan});
	printResult(io, user, user.id, json);
}
