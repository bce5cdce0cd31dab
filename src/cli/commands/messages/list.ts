import type {Command} from 'commander';
import {takeRows} from '../../../client/pages.js';
import type {Context} from '../../context.js';
import {findInbox} from '../../find-inbox.js';
import {addListFlags, type ListFlags, rowCount} from '../../options.js';
import {noteOnTerminal, printJsonList} from '../../output.js';
import {printTable} from '../../table.js';
import {messageFields} from './fields.js';
import {addFilterFlags, describeFilter, type FilterFlags, filterOf} from './filter.js';
import {messageColumns} from './row.js';

export type ListOptions = ListFlags & FilterFlags & {readonly inbox: string};

export function addList(parent: Command, context: Context, run = runList): void {
	const command = parent
		.command('list')
		.description('list the messages of an inbox, the newest first')
		.argument('<inbox>', 'its id, address or name');
	addListFlags(addFilterFlags(command), messageFields).action(
		async (inbox: string, flags: Omit<ListOptions, 'inbox'>) => run({inbox, ...flags}, context),
	);
}

export async function runList({inbox: text, ...options}: ListOptions, {io, api, now}: Context): Promise<void> {
	const client = await api();
	const inbox = await findInbox(client, text);
	const filter = filterOf(options);
	const rows = await takeRows(page => client.messages.list(inbox.id, {...filter, ...page}), rowCount(options));
	if (options.json) {
		printJsonList(io, rows, rows, options.json);
		return;
	}

	await printTable(io, messageColumns(now()), rows);
	if (rows.length === 0) {
		noteOnTerminal(io, `There is no message${describeFilter(options)} in ${inbox.email_address}.`);
	}
}
