import type {Command} from 'commander';
import {ApiError} from '../../../client/errors.js';
import {followAlways} from '../../../client/events.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {findInbox} from '../../find-inbox.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../../options.js';
import {note, printJsonLine} from '../../output.js';
import {printRow} from '../../table.js';
import {messageColumns} from './row.js';

export type TailOptions = {readonly inboxes: readonly string[]; readonly json?: JsonFields};

const fields: FieldsOf<MessageSummaryBody> = {
	id: true,
	inbox_id: true,
	from: true,
	to: true,
	subject: true,
	size: true,
	received_at: true,
};

export function addTail(parent: Command, context: Context, run = runTail): void {
	const command = parent.command('tail').description('print messages as they come, until interrupted');
	addExamples(command, 'tinbox messages tail', 'tinbox messages tail signup --json | jq .subject')
		.argument('[inboxes...]', 'only those of these inboxes, each by id, address or name')
		.addOption(jsonOption(fields))
		.action(async (inboxes: readonly string[], flags: Omit<TailOptions, 'inboxes'>) =>
			run({inboxes, ...flags}, context),
		);
}

/** Ends when the signal aborts; on the command line, when the process is interrupted. */
export async function runTail(
	{inboxes, json}: TailOptions,
	{io, api, now}: Context,
	signal: AbortSignal = new AbortController().signal,
): Promise<void> {
	const client = await api();
	const wanted = new Set((await Promise.all(inboxes.map(inbox => findInbox(client, inbox)))).map(({id}) => id));
	let isLost = false;
	const onLost = (reason: unknown) => {
		if (reason instanceof ApiError) {
			throw reason;
		}

		if (!isLost) {
			note(io, 'The connection to the daemon is lost; trying again.');
		}

		isLost = true;
	};
	for await (const event of followAlways(client.events, signal, onLost)) {
		if (event.type === 'ready') {
			if (isLost) {
				note(io, event.resumed ? 'Connected again.' : 'Connected again; messages in between may be missing.');
			}

			isLost = false;
		} else if (event.type === 'message.received' && (wanted.size === 0 || wanted.has(event.message.inbox_id))) {
			if (json) {
				printJsonLine(io, event.message, json);
			} else {
				printRow(io, messageColumns(now()), event.message);
			}
		}
	}
}
