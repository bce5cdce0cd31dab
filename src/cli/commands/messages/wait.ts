import {type Command, Option} from 'commander';
import {ApiError} from '../../../client/errors.js';
import {followAlways} from '../../../client/events.js';
import {describeFilter} from '../../../client/filter.js';
import type {Client} from '../../../client/index.js';
import {maxLimit} from '../../../contract/constants.js';
import {fieldsOf, messageFields} from '../../../contract/field-names.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {MessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {findAfter, findInbox} from '../../find.js';
import {
	addExamples,
	addHelpNote,
	countOption,
	durationOption,
	type JsonFields,
	type JsonFlag,
	jsonOption,
} from '../../options.js';
import {note, printJsonLine} from '../../output/print.js';
import {withSpinner} from '../../output/progress.js';
import {recorded, reportOption} from '../../output/report.js';
import type {ReportTarget} from '../../output/report-file.js';
import {clockColumn, printFound, printRow, type TableColumn} from '../../output/table.js';
import {addFilterFlags, type FilterFlags, filterOf, messageColumns, shortId} from './filter.js';
import {type Field, fieldFilter, fieldOption, readFields} from './read.js';

type WaitFlags = FilterFlags &
	JsonFlag & {
		readonly new?: boolean;
		readonly count?: number;
		readonly absent?: boolean;
		/** Milliseconds. */
		readonly timeout: number;
		readonly field?: readonly Field[];
		readonly report?: ReportTarget;
	};

export function addWait(messages: Command, context: Context): void {
	const command = messages
		.command('wait')
		.description('wait for a new or existing message and print it')
		.argument('<inbox>', 'id, address or name');
	addHelpNote(
		command,
		`With --field code, link or 'link[<pattern>]', only messages with a code or link match.

Exit codes:
  124  timeout; stderr lists near misses with reasons, rejected mail, fault hits and evicted messages
  6    the message lacks the requested code, link or field, or a message arrived despite --absent
  3    the daemon stopped and did not restart before the timeout`,
	);
	addExamples(
		addFilterFlags(command),
		'tinbox messages wait signup --subject "Verify" --timeout 1m',
		'code=$(tinbox messages wait "$addr" --field code)',
		`link=$(tinbox messages wait "$addr" --field 'link[/reset/]')`,
		'tinbox messages wait "$addr" --new --absent --timeout 5s',
	)
		.addOption(new Option('--new', 'ignore existing messages').conflicts('after'))
		.addOption(countOption('--count <number>', 'number of messages to wait for (default: 1)', maxLimit))
		.addOption(new Option('--absent', 'succeed if no message arrives before the timeout').conflicts(['count', 'field']))
		.addOption(durationOption('--timeout <duration>', 'maximum time to wait').default(30_000, '30s'))
		.addOption(fieldOption().conflicts('json'))
		.addOption(jsonOption(messageFields))
		.addOption(reportOption())
		.action(async (inbox: string, {report, ...given}: WaitFlags) => {
			const flags = {...given, ...fieldFilter(given.field)};
			const name = `${flags.absent ? 'no message' : 'a message'}${describeFilter(filterOf(flags))} in ${inbox}`;
			await recorded(report, name, context, () => wait(inbox, flags, context));
		});
}

async function wait(
	inboxName: string,
	{timeout, count = 1, absent, ...options}: Omit<WaitFlags, 'report'>,
	context: Context,
): Promise<void> {
	const began = context.now();
	const client = await context.api();
	const inbox = await findInbox(client, inboxName);
	// In an empty inbox, there is no newest message, and all messages are new.
	const after = options.new
		? (await client.messages.list(inbox.id, {limit: 1}))[0]?.id
		: await findAfter(client, inbox.id, options.after);
	const filter = {...filterOf(options), after};
	const found = await withSpinner(context, `waiting for mail to ${inbox.email_address}`, () =>
		client.messages.collect(inbox.id, filter, {count, timeoutMs: timeout}),
	);
	if (absent ? found.length > 0 : found.length < count) {
		const {timedOut, unexpectedMessages} = await import('./evidence.js');
		const wanted = describeFilter(filterOf(options));
		const isFromNow = options.new ?? false;
		const result = {inbox, filter, isFromNow, wanted, count, timeout, found, began, now: context.now()};
		throw absent ? unexpectedMessages(result) : await timedOut(client, result);
	}

	if (!absent) {
		await print(found, options, client, context);
	}
}

/** Prints messages after all values have been read, so that an error leaves stdout empty. */
async function print(
	messages: readonly MessageBody[],
	{json, field}: Pick<WaitFlags, 'json' | 'field'>,
	client: Client,
	context: Context,
): Promise<void> {
	if (!field) {
		printFound(context, messageColumns, messages, json);
		return;
	}

	const values = [];
	for (const message of messages) {
		values.push(await readFields(client, message, field));
	}

	context.io.stdout.write(`${values.join('\n')}\n`);
}

const arrivalFields = fieldsOf<MessageSummaryBody>()('id inbox_id from from_name to subject size received_at');

/** Received message; the inbox is undefined if it was deleted in the meantime. */
type Arrival = {readonly message: MessageSummaryBody; readonly inbox: InboxBody | undefined};

const arrivalColumns: readonly TableColumn<Arrival>[] = [
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
		.addOption(jsonOption(arrivalFields))
		.action(async (inboxes: readonly string[], {json}: JsonFlag) => tailMessages(inboxes, json, context));
}

/** Prints new messages until the signal aborts. On the command line, an interruption ends the process. */
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
				printRow(context, arrivalColumns, {message: event.message, inbox: await inboxOf(event.message)});
			}
		} else if (event.type === 'inbox.changed') {
			known.set(event.inbox.id, event.inbox);
		}
	}
}
