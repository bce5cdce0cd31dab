import type {Command} from 'commander';
import type {CreatedKeyBody} from '../../../contract/keys.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../../options.js';
import {note, printResult} from '../../output.js';

export type CreateOptions = {readonly name?: string; readonly json?: JsonFields};

const fields: FieldsOf<CreatedKeyBody> = {
	id: true,
	name: true,
	key: true,
	prefix: true,
	created_at: true,
	message: true,
};

export function addCreate(parent: Command, context: Context, run = runCreate): void {
	addExamples(
		parent.command('create').description('create an API key and print it, this once'),
		'export TINBOX_API_KEY=$(tinbox keys create --name CI)',
	)
		.option('--name <name>', 'a name by which you recognise it (default: "Default")')
		.addOption(jsonOption(fields))
		.action(async (options: CreateOptions) => run(options, context));
}

export async function runCreate({name, json}: CreateOptions, {io, account}: Context): Promise<void> {
	const {keys} = await account();
	const created = await keys.create(name === undefined ? {} : {name});
	printResult(io, created, created.key, json);
	if (!json) {
		note(io, created.message);
	}
}
