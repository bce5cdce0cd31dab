import type {Command} from 'commander';
import {takeRows} from '../../client/pages.js';
import {type InboxBody, inboxFields} from '../../contract/inboxes.js';
import type {Context} from '../context.js';
import {addHomeFlag} from '../control/kept-home.js';
import {findInbox, teamId} from '../find.js';
import {
	addExamples,
	addPageFlags,
	durationOption,
	type JsonFlag,
	jsonOption,
	type PageFlags,
	rowCount,
} from '../options.js';
import {usageError} from '../output/exit.js';
import {printResult} from '../output/print.js';
import {type TableColumn, timeColumn} from '../output/table.js';
import {fillDelete, fillList, fillShow} from './verbs.js';

export function addInboxCommands(inbox: Command, context: Context): void {
	addCreate(inbox, context);
	addList(inbox, context);
	const show = inbox.command('show').description('show an inbox').argument('<inbox>', 'its id, address or name');
	fillShow(addHomeFlag(show, context), context, {
		fields: inboxFields,
		find: async name => findInbox(await context.api(), name),
	});
	addUpdate(inbox, context);
	addDelete(inbox, context);
}

type CreateFlags = JsonFlag & {
	readonly name?: string;
	readonly address?: string;
	readonly team?: string;
	/** Milliseconds. */
	readonly ttl?: number;
};

function addCreate(inbox: Command, context: Context): void {
	const command = inbox.command('create').description('create an inbox and print its address');
	addExamples(command, 'addr=$(tinbox inbox create)', "tinbox inbox create --address '*@shop.test' --ttl 1h")
		.option('--name <name>', 'a name by which you can call it')
		.option('--address <address>', 'an address of your choice, "*@domain" for a whole domain, "*" for all other mail')
		.option('--team <team>', 'share it with this team, by id or name')
		.addOption(durationOption('--ttl <duration>', 'delete it with its mail after this time'))
		.addOption(jsonOption(inboxFields))
		.action(async ({name, address, team, ttl, json}: CreateFlags) => {
			const {inboxes} = await context.api();
			const created = await inboxes.create({
				name,
				email_address: address,
				team_id: await teamId(team, context),
				ttl: ttl === undefined ? undefined : Math.ceil(ttl / 1000),
			});
			printResult(context.io, created, created.email_address, json);
		});
}

function addList(inbox: Command, context: Context): void {
	const command = inbox.command('list').description('list your inboxes, the newest first');
	fillList<InboxBody, PageFlags>(addHomeFlag(addPageFlags(command), context), context, {
		fields: inboxFields,
		columns,
		async load(flags) {
			const {inboxes} = await context.api();
			let total = 0;
			const rows = await takeRows(async page => {
				const body = await inboxes.list(page);
				total = body.total;
				return body.inboxes;
			}, rowCount(flags));
			return {
				rows,
				body: {inboxes: rows, total, page: 1, limit: flags.all ? rows.length : flags.limit},
				none: 'There is no inbox yet. Create one: tinbox inbox create',
				more: rows.length < total && `${rows.length} of ${total} inboxes. See all: tinbox inbox list --all`,
			};
		},
	});
}

const columns: readonly TableColumn<InboxBody>[] = [
	{header: 'ADDRESS', value: inbox => inbox.email_address},
	{header: 'NAME', value: inbox => inbox.name ?? '', flexible: true},
	{header: 'MESSAGES', value: inbox => String(inbox.message_count)},
	{...timeColumn<InboxBody>('CREATED', inbox => inbox.created_at), optional: true},
	{header: 'ID', value: inbox => inbox.id},
];

type UpdateFlags = JsonFlag & {
	readonly name?: string;
	/** False takes it out of its team. */
	readonly team?: string | false;
};

function addUpdate(inbox: Command, context: Context): void {
	inbox
		.command('update')
		.description('rename an inbox, or give it to a team')
		.argument('<inbox>', 'its id, address or name')
		.option('--name <name>', 'its new name')
		.option('--team <team>', 'share it with this team, by id or name')
		.option('--no-team', 'share it with no team')
		.addOption(jsonOption(inboxFields))
		.action(async (text: string, {name, team, json}: UpdateFlags) => {
			if (name === undefined && team === undefined) {
				throw usageError('There is nothing to change.', 'Say what with --name, --team or --no-team.');
			}

			const client = await context.api();
			const {id} = await findInbox(client, text);
			const team_id = team === false ? null : await teamId(team, context);
			const updated = await client.inboxes.update(id, {name, team_id});
			printResult(context.io, updated, updated.email_address, json);
		});
}

function addDelete(inbox: Command, context: Context): void {
	const command = inbox.command('delete').description('delete inboxes with all their messages, for good');
	fillDelete(command.argument('<inbox...>', 'id, address or name'), context, {
		connect: context.api,
		find: findInbox,
		remove: ({inboxes}, {id}) => inboxes.delete(id),
		done: ({email_address, message_count}) =>
			`Deleted ${email_address} with ${message_count} ${message_count === 1 ? 'message' : 'messages'}.`,
	});
}
