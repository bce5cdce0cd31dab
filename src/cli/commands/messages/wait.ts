import {type Command, Option} from 'commander';
import {describeFilter} from '../../../client/filter.js';
import type {Client} from '../../../client/index.js';
import {maxLimit} from '../../../contract/constants.js';
import {messageFields} from '../../../contract/field-names.js';
import type {MessageBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {findAfter, findInbox} from '../../find.js';
import {addHelpNote} from '../../help/layout.js';
import {addExamples, countOption, durationOption, type JsonFlag, jsonOption} from '../../options.js';
import {printJson, printJsonLine} from '../../output/print.js';
import {recorded, reportOption} from '../../output/report.js';
import type {ReportTarget} from '../../output/report-file.js';
import {withSpinner} from '../../output/spinner.js';
import {printRow} from '../../output/table.js';
import {type Field, fieldFilter, fieldOption, readFields} from './field.js';
import {addFilterFlags, type FilterFlags, filterOf, messageColumns} from './filter.js';

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
	// There is no newest one in an empty inbox: whatever comes there is new.
	const after = options.new
		? (await client.messages.list(inbox.id, {limit: 1}))[0]?.id
		: await findAfter(client, inbox.id, options.after);
	const filter = {...filterOf(options), after};
	const found = await withSpinner(context, `waiting for mail to ${inbox.email_address}`, () =>
		client.messages.collect(inbox.id, filter, {count, timeoutMs: timeout}),
	);
	const awaited = {
		inbox,
		filter,
		isFromNow: options.new ?? false,
		wanted: describeFilter(filterOf(options)),
		count,
		timeout,
		found,
		began,
		now: context.now(),
	};
	if (absent ? found.length > 0 : found.length < count) {
		const {timedOut, unwelcome} = await import('./evidence.js');
		throw absent ? unwelcome(awaited) : await timedOut(client, awaited);
	}

	if (!absent) {
		await print(found, options, client, context);
	}
}

/** Nothing is printed before everything is there. */
async function print(
	messages: readonly MessageBody[],
	{json, field}: Pick<WaitFlags, 'json' | 'field'>,
	client: Client,
	context: Context,
): Promise<void> {
	const {io} = context;
	if (field) {
		const values = [];
		for (const message of messages) {
			values.push(await readFields(client, message, field));
		}

		io.stdout.write(`${values.join('\n')}\n`);
		return;
	}

	for (const message of messages) {
		if (!json) {
			printRow(context, messageColumns, message);
		} else if (messages.length === 1) {
			printJson(io, message, json);
		} else {
			printJsonLine(io, message, json);
		}
	}
}
