import type {Command} from 'commander';
import {describeFilter} from '../../../client/filter.js';
import type {Client} from '../../../client/index.js';
import {takeRows} from '../../../client/pages.js';
import type {BounceBody, CreateBounce} from '../../../contract/bounces.js';
import {defaultStatus} from '../../../contract/constants.js';
import {bounceFields, messageFields} from '../../../contract/field-names.js';
import type {MessageBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {addHomeFlag} from '../../control/home-flag.js';
import {findAfter, findInbox, findMessage} from '../../find.js';
import {
	addExamples,
	addPageFlags,
	collect,
	type JsonFlag,
	jsonOption,
	type PageFlags,
	rowCount,
} from '../../options.js';
import {usageError} from '../../output/exit.js';
import {note, printJsonOr} from '../../output/print.js';
import {fillList} from '../list-show-delete.js';
import {addExport, addImport} from './files.js';
import {addFilterFlags, type FilterFlags, filterOf, messageColumns} from './filter.js';
import {addMessageArguments, addOpen, addRaw, addSave, addShow, messageArgument} from './read.js';
import {addTail, addWait} from './wait.js';

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

type BounceFlags = JsonFlag & Pick<CreateBounce, 'status' | 'to'> & {readonly recipient?: readonly string[]};

type Make = (messages: Client['messages'], inboxId: string, id: string, body: CreateBounce) => Promise<BounceBody>;

function addBounces(messages: Command, context: Context): void {
	const bounce = messages
		.command('bounce')
		.description('send a bounce for a message to its sender (RFC 3464)')
		.option('--status <code>', 'status: 5.x.x failed, 4.x.x delayed, 2.x.x delivered', defaultStatus);
	addExamples(
		bounce,
		'tinbox messages bounce signup',
		'tinbox messages bounce signup --status 5.2.2 --to smtp://localhost:2525',
	);
	fillBounce(bounce, context, (client, ...of) => client.bounce(...of));
	const complain = messages
		.command('complain')
		.description('send a spam complaint about a message to its sender (RFC 5965)');
	fillBounce(complain, context, (client, ...of) => client.complain(...of));
	const autoreply = messages
		.command('autoreply')
		.description('send an automatic reply to the sender of a message (RFC 3834)');
	fillBounce(autoreply, context, (client, ...of) => client.autoreply(...of));
}

function fillBounce(command: Command, context: Context, make: Make): void {
	addMessageArguments(command)
		.option('--recipient <address>', 'original recipient (default: the inbox address); repeatable', collect)
		.option('--to <url>', 'SMTP server, such as smtp://localhost:2525 (default: the inbox of the sender)')
		.addOption(jsonOption(bounceFields))
		.action(async (inbox: string, message: string, {json, recipient: recipients, ...others}: BounceFlags) => {
			const {client, inboxId, id} = await findMessage(context, inbox, message);
			const made = await make(client.messages, inboxId, id, {recipients, ...others});
			const sent = `Sent to ${made.sender}${made.to === null ? '' : ` at ${made.to}`}.`;
			printJsonOr(context.io, made, json, () =>
				note(context.io, made.message_id === null ? 'The app is notified by webhook.' : sent),
			);
		});
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

			if (message !== undefined) {
				const {client, inboxId, id} = await findMessage(context, inbox, message);
				await client.messages.delete(inboxId, id);
				note(context.io, `Deleted message ${id}.`);
				return;
			}

			const client = await context.api();
			const {id, email_address, message_count: count} = await findInbox(client, inbox);
			await client.messages.deleteAll(id);
			note(context.io, `Deleted ${count} ${count === 1 ? 'message' : 'messages'} of ${email_address}.`);
		});
}
