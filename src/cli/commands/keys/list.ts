import type {Command} from 'commander';
import type {KeyBody} from '../../../contract/keys.js';
import {ago} from '../../ago.js';
import type {Context} from '../../context.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../../options.js';
import {noteOnTerminal, printJsonList} from '../../output.js';
import {type Column, printTable} from '../../table.js';

export type ListOptions = {readonly json?: JsonFields};

const fields: FieldsOf<KeyBody> = {id: true, name: true, key_prefix: true, last_used_at: true, created_at: true};

export function addList(parent: Command, context: Context, run = runList): void {
	parent
		.command('list')
		.description('list your API keys by their beginnings, the newest first')
		.addOption(jsonOption(fields))
		.action(async (options: ListOptions) => run(options, context));
}

export async function runList({json}: ListOptions, {io, account, now}: Context): Promise<void> {
	const {keys} = await account();
	const body = await keys.list();
	if (json) {
		printJsonList(io, body, body.keys, json);
		return;
	}

	await printTable(io, columns(now()), body.keys);
	if (body.keys.length === 0) {
		noteOnTerminal(io, 'There is no API key yet. Create one: tinbox keys create');
	}
}

function columns(now: Date): readonly Column<KeyBody>[] {
	return [
		{header: 'NAME', value: key => key.name, flexible: true},
		{header: 'KEY', value: key => key.key_prefix, show: key => `${key.key_prefix}…`},
		{
			header: 'LAST USED',
			value: key => key.last_used_at ?? '',
			show: key => (key.last_used_at === null ? 'never' : ago(key.last_used_at, now)),
		},
		{header: 'CREATED', value: key => key.created_at, show: key => ago(key.created_at, now)},
		{header: 'ID', value: key => key.id},
	];
}
