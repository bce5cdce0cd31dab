import type {Command} from 'commander';
import type {TokenBody} from '../../../contract/users.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {durationOption, type FieldsOf, type JsonFields, jsonOption} from '../../options.js';
import {printResult} from '../../output.js';
import {findUser} from './find-user.js';

export type TokenOptions = {
	readonly user: string;
	/** Milliseconds. */
	readonly expiresIn: number;
	readonly json?: JsonFields;
};

const fields: FieldsOf<TokenBody> = {token: true, expires_at: true};

export function addToken(parent: Command, context: Context, run = runToken): void {
	addExamples(
		parent.command('token').description('print a token with which the user can log in'),
		'tinbox users token ann@example.com --expires-in 7d > ann.token',
		'tinbox login --profile ann < ann.token',
	)
		.argument('<user>', 'id or email address')
		.addOption(durationOption('--expires-in <duration>', 'how long it is good for').default(30 * 86_400_000, '30d'))
		.addOption(jsonOption(fields))
		.action(async (user: string, flags: Omit<TokenOptions, 'user'>) => run({user, ...flags}, context));
}

export async function runToken({user: text, expiresIn, json}: TokenOptions, {io, operator}: Context): Promise<void> {
	const client = await operator();
	const {id} = await findUser(client, text);
	const body = await client.users.createToken(id, {expires_in: Math.ceil(expiresIn / 1000)});
	printResult(io, body, body.token, json);
}
