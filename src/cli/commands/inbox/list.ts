import type {Command} from 'commander';
import {takeRows} from '../../../client/pages.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {ago} from '../../ago.js';
import type {Context} from '../../context.js';
import {addListFlags, type ListFlags, rowCount} from '../../options.js';
import {noteOnTerminal, printJsonList} from '../../output.js';
import {type Column, printTable} from '../../table.js';
import {inboxFields} from './fields.js';

export function addList(parent: Command, context: Context, run = runList): void {
	addListFlags(parent.command('list').description('list your inboxes, the newest first'), inboxFields).action(
		async (options: ListFlags) => run(options, context),
	);
}

export async function runList(options: ListFlags, {io, api, now}: Context): Promise<void> {
	const {inboxes} = await api();
	let total = 0;
	const rows = await takeRows(async page => {
		const body = await inboxes.list(page);
		total = body.total;
		return body.inboxes;
	}, rowCount(options));
	if (options.json) {
		const body = {inboxes: rows, total, page: 1, limit: options.all ? rows.length : options.limit};
		printJsonList(io, body, rows, options.json);
		return;
	}

	await printTable(io, columns(now()), rows);
	if (rows.length < total) {
		noteOnTerminal(io, `${rows.length} of ${total} inboxes. See all: tinbox inbox list --all`);
	} else if (total === 0) {
		noteOnTerminal(io, 'There is no inbox yet. Create one: tinbox inbox create');
	}
}

function columns(now: Date): readonly Column<InboxBody>[] {
	return [
		{header: 'ADDRESS', value: inbox => inbox.email_address},
		{header: 'NAME', value: inbox => inbox.name ?? '', flexible: true},
		{header: 'MESSAGES', value: inbox => String(inbox.message_count)},
		{header: 'CREATED', value: inbox => inbox.created_at, show: inbox => ago(inbox.created_at, now)},
		{header: 'ID', value: inbox => inbox.id, flexible: true},
	];
}
