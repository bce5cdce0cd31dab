import type {Command} from 'commander';
import {ignoreNotFound} from '../../client/errors.js';
import type {Client} from '../../client/index.js';
import {createdKeyFields, keyFields} from '../../contract/field-names.js';
import type {KeyBody, WebSessionBody} from '../../contract/keys.js';
import type {Context} from '../context.js';
import {addExamples, type JsonFlag, jsonOption} from '../options.js';
import {notFound} from '../output/exit.js';
import {printResult} from '../output/print.js';
import {type TableColumn, timeColumn} from '../output/table.js';
import {fillDelete, fillList} from './list-show-delete.js';

export function addKeysCommands(keys: Command, context: Context): void {
	addCreate(keys, context);
	const list = keys.command('list').description('list API keys (prefixes only) and web sessions');
	fillList(list, context, {
		fields: [...keyFields, 'expires_at'],
		columns,
		async load() {
			const client = await context.account();
			const [{keys}, {web_sessions}] = await Promise.all([client.keys.list(), client.webSessions.list()]);
			return {
				rows: [
					...keys.map(key => ({...key, expires_at: null})),
					...web_sessions.map(session => ofSession(session, keys)),
				],
				body: {keys, web_sessions},
				none: 'There are no API keys yet. Create one: tinbox keys create',
			};
		},
	});
	const revoke = keys.command('revoke').description('revoke an API key or web session permanently');
	fillDelete(revoke.argument('<key>', 'id of the key or session, from "tinbox keys list"'), context, {
		connect: context.account,
		find: async (_, id) => id,
		remove: revokeEither,
		done: id => `Revoked ${id}.`,
	});
}

/** API key, or web session with the prefix of the key that created it. */
type AccessRow = KeyBody & {readonly expires_at: string | null};

function ofSession({id, key_id, ...times}: WebSessionBody, keys: readonly KeyBody[]): AccessRow {
	const key_prefix = keys.find(key => key.id === key_id)?.key_prefix ?? '';
	const {last_used_at, created_at, expires_at} = times;
	return {id, name: 'Web session', key_prefix, last_used_at, created_at, expires_at};
}

async function revokeEither({keys, webSessions}: Client, id: string): Promise<void> {
	const revoked = (await keys.revoke(id).catch(ignoreNotFound)) ?? (await webSessions.end(id).catch(ignoreNotFound));
	if (!revoked) {
		throw notFound(`You have no API key and no web session "${id}".`, 'List all keys: tinbox keys list');
	}
}

function addCreate(keys: Command, {io, account}: Context): void {
	addExamples(
		keys.command('create').description('create an API key and print it (shown only once)'),
		'export TINBOX_API_KEY=$(tinbox keys create --name CI)',
	)
		.option('--name <name>', 'name of the key (default: "Default")')
		.addOption(jsonOption(createdKeyFields))
		.action(async ({name, json}: JsonFlag & {readonly name?: string}) => {
			const client = await account();
			const created = await client.keys.create({name});
			printResult(io, created, created.key, json, created.message);
		});
}

const columns: readonly TableColumn<AccessRow>[] = [
	{header: 'NAME', value: ({name}) => name, flexible: true},
	{
		header: 'KEY',
		value: ({key_prefix}) => key_prefix,
		show: ({key_prefix}) => (key_prefix === '' ? 'by token' : `${key_prefix}…`),
	},
	timeColumn('LAST USED', row => row.last_used_at, 'never'),
	timeColumn('CREATED', row => row.created_at),
	{header: 'ID', value: row => row.id},
	{
		header: 'EXPIRES',
		value: ({expires_at}) => expires_at ?? '',
		// Web sessions expire within 12 hours, so the local time of day is unambiguous.
		show: ({expires_at}) => (expires_at === null ? '' : new Date(expires_at).toTimeString().slice(0, 5)),
	},
];
