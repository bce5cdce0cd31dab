import type {Command} from 'commander';
import {createdKeyFields, type KeyBody, keyFields} from '../../contract/keys.js';
import type {Context} from '../context.js';
import {addExamples, type JsonFlag, jsonOption} from '../options.js';
import {printResult} from '../output/print.js';
import {type TableColumn, timeColumn} from '../output/table.js';
import {fillDelete, fillList} from './verbs.js';

export function addKeysCommands(keys: Command, context: Context): void {
	addCreate(keys, context);
	fillList(keys.command('list').description('list your API keys by their beginnings, the newest first'), context, {
		fields: keyFields,
		columns,
		async load() {
			const body = await (await context.account()).keys.list();
			return {rows: body.keys, body, none: 'There is no API key yet. Create one: tinbox keys create'};
		},
	});
	const revoke = keys.command('revoke').description('end an API key for good');
	fillDelete(revoke.argument('<id>', 'id of the key, as in the list'), context, {
		connect: context.account,
		find: async (_, id) => id,
		remove: (client, id) => client.keys.revoke(id),
		done: id => `Revoked ${id}.`,
	});
}

function addCreate(keys: Command, {io, account}: Context): void {
	addExamples(
		keys.command('create').description('create an API key and print it, this once'),
		'export TINBOX_API_KEY=$(tinbox keys create --name CI)',
	)
		.option('--name <name>', 'a name by which you recognise it (default: "Default")')
		.addOption(jsonOption(createdKeyFields))
		.action(async ({name, json}: JsonFlag & {readonly name?: string}) => {
			const client = await account();
			const created = await client.keys.create({name});
			printResult(io, created, created.key, json, created.message);
		});
}

const columns: readonly TableColumn<KeyBody>[] = [
	{header: 'NAME', value: key => key.name, flexible: true},
	{header: 'KEY', value: key => key.key_prefix, show: key => `${key.key_prefix}…`},
	timeColumn('LAST USED', key => key.last_used_at, 'never'),
	timeColumn('CREATED', key => key.created_at),
	{header: 'ID', value: key => key.id},
];
