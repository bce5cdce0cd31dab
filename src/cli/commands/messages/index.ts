import type {Command} from 'commander';
import {describeFilter} from '../../../client/filter-words.js';
import {takeRows} from '../../../client/pages.js';
import {messageFields} from '../../../contract/field-names.js';
import type {MessageBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/kept-home.js';
import {findAfter, findInbox, findMessage} from '../../find.js';
import {addPageFlags, type PageFlags, rowCount} from '../../options.js';
import {usageError} from '../../output/exit.js';
import {note} from '../../output/print.js';
import {fillList} from '../verbs.js';
import {addBounces} from './bounce.js';
import {messageColumns} from './columns.js';
import {addExport} from './export/index.js';
import {addFilterFlags, type FilterFlags, filterOf} from './filter.js';
import {addImport} from './import/index.js';
import {addOpen, addRaw, addShow, messageArgument} from './read.js';
import {addSave} from './save.js';
import {addTail} from './tail.js';
import {addWait} from './wait.js';

export function addMessagesCommands(messages: Command, context: Context): void {
	addWait(messages, context);
	addList(messages, context);
	addTail(messages, context);
	addShow(messages, context);
	addOpen(messages, context);
	addRaw(messages, context);
	addSave(messages, context);
	addExport(messages, context);
	addImport(messages, context);
	addBounces(messages, context);
	addDelete(messages, context);
}

function addList(messages: Command, context: Context): void {
	const command = messages
		.command('list')
		.description('list the messages of an inbox, newest first')
		.argument('<inbox>', 'id, address or name');
	addHomeFlag(addPageFlags(addFilterFlags(command)), context);
	fillList<MessageBody, FilterFlags & PageFlags>(command, context, {
		fields: messageFields,
		columns: messageColumns,
		async load(flags, [name = '']) {
			const client = await context.api();
			const inbox = await findInbox(client, name);
			const filter = {...filterOf(flags), after: await findAfter(client, inbox.id, flags.after)};
			const rows = await takeRows(page => client.messages.list(inbox.id, {...filter, ...page}), rowCount(flags));
			return {rows, none: `There are no messages${describeFilter(filterOf(flags))} in ${inbox.email_address}.`};
		},
	});
}

function addDelete(messages: Command, context: Context): void {
	messages
		.command('delete')
		.description('delete one or all messages of an inbox permanently')
		.argument('<inbox>', 'id, address or name')
		.argument('[message]', messageArgument)
		.option('--all', 'delete all messages of the inbox')
		.action(async (inbox: string, message: string | undefined, {all = false}: {readonly all?: boolean}) => {
			if (all === (message !== undefined)) {
				throw usageError(
					all ? 'Specify a message or use --all, not both.' : 'Specify a message to delete, or use --all.',
				);
			}

			await (message === undefined ? deleteAll(inbox, context) : deleteOne(inbox, message, context));
		});
}

async function deleteOne(inbox: string, message: string, context: Context): Promise<void> {
	const {client, inboxId, id} = await findMessage(context, inbox, message);
	await client.messages.delete(inboxId, id);
	note(context.io, `Deleted message ${id}.`);
}

async function deleteAll(inbox: string, {api, io}: Context): Promise<void> {
	const client = await api();
	const {id, email_address, message_count} = await findInbox(client, inbox);
	await client.messages.deleteAll(id);
	note(io, `Deleted ${message_count} ${message_count === 1 ? 'message' : 'messages'} of ${email_address}.`);
}
