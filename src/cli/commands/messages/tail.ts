import type {Command} from 'commander';
import {ApiError} from '../../../client/errors.js';
import {followAlways} from '../../../client/events.js';
import {fieldsOf} from '../../../contract/field-names.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {findInbox} from '../../find.js';
import {addExamples, type JsonFields, type JsonFlag, jsonOption} from '../../options.js';
import {note, printJsonLine} from '../../output/print.js';
import {clockColumn, printRow, type TableColumn} from '../../output/table.js';
import {shortId} from './filter.js';

const fields = fieldsOf<MessageSummaryBody>()('id inbox_id from from_name to subject size received_at');

/** The inbox is missing where it was deleted meanwhile. */
type Arrival = {readonly message: MessageSummaryBody; readonly inbox: InboxBody | undefined};

const columns: readonly TableColumn<Arrival>[] = [
	clockColumn('RECEIVED', ({message}) => message.received_at),
	{
		header: 'INBOX',
		value: ({message, inbox}) => inbox?.email_address ?? message.to,
		show: ({message, inbox}) => inbox?.name ?? inbox?.email_address ?? message.to,
	},
	{header: 'FROM', value: ({message}) => message.from},
	{header: 'SUBJECT', value: ({message}) => message.subject},
	{header: 'ID', value: ({message}) => message.id, show: ({message}) => shortId(message.id)},
];

export function addTail(messages: Command, context: Context): void {
	const command = messages.command('tail').description('print new messages until interrupted');
	addExamples(command, 'tinbox messages tail', 'tinbox messages tail signup --json | jq .subject')
		.argument('[inboxes...]', 'ids, addresses or names of inboxes (default: all)')
		.addOption(jsonOption(fields))
		.action(async (inboxes: readonly string[], {json}: JsonFlag) => tailMessages(inboxes, json, context));
}

/** Ends when the signal aborts; on the command line, when the process is interrupted. */
export async function tailMessages(
	inboxes: readonly string[],
	json: JsonFields,
	context: Context,
	signal: AbortSignal = new AbortController().signal,
): Promise<void> {
	const {io} = context;
	const client = await context.api();
	const wanted = new Set((await Promise.all(inboxes.map(inbox => findInbox(client, inbox)))).map(({id}) => id));
	const known = new Map<string, InboxBody>();
	const inboxOf = async ({inbox_id: id}: MessageSummaryBody) => {
		const inbox = known.get(id) ?? (await client.inboxes.get(id).catch(() => undefined));
		if (inbox) {
			known.set(id, inbox);
		}

		return inbox;
	};
	let isLost = false;
	const onLost = (reason: unknown) => {
		if (reason instanceof ApiError) {
			throw reason;
		}

		if (!isLost) {
			note(io, 'Lost the connection to the daemon; reconnecting.');
		}

		isLost = true;
	};
	for await (const event of followAlways(client.events, signal, onLost)) {
		if (event.type === 'ready') {
			if (isLost) {
				note(io, event.resumed ? 'Reconnected.' : 'Reconnected; some messages may be missing.');
			}

			isLost = false;
		} else if (event.type === 'message.received' && (wanted.size === 0 || wanted.has(event.message.inbox_id))) {
			if (json) {
				printJsonLine(io, event.message, json);
			} else {
				printRow(context, columns, {message: event.message, inbox: await inboxOf(event.message)});
			}
		} else if (event.type === 'inbox.changed') {
			known.set(event.inbox.id, event.inbox);
		}
	}
}
