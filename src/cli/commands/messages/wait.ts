import {type Command, Option} from 'commander';
import {describeFilter} from '../../../client/filter-words.js';
import type {Client} from '../../../client/index.js';
import {type MessageBody, messageFields} from '../../../contract/messages.js';
import {maxLimit} from '../../../contract/page.js';
import type {Context} from '../../context.js';
import {findAfter, findInbox} from '../../find.js';
import {addExamples, countOption, durationOption, type JsonFlag, jsonOption} from '../../options.js';
import {printJson, printJsonLine} from '../../output/print.js';
import {recorded, reportOption} from '../../output/report.js';
import type {ReportTarget} from '../../output/report-file.js';
import {withSpinner} from '../../output/spinner.js';
import {printRow} from '../../output/table.js';
import {messageColumns} from './columns.js';
import {type Field, fieldFilter, fieldOption, readFields} from './field.js';
import {addFilterFlags, type FilterFlags, filterOf} from './filter.js';

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
		.description('wait for a message and print it; one that is there already counts')
		.argument('<inbox>', 'its id, address or name');
	addExamples(
		addFilterFlags(command),
		'tinbox messages wait signup --subject "Verify" --timeout 1m',
		'code=$(tinbox messages wait "$addr" --field code)',
		`link=$(tinbox messages wait "$addr" --field 'link[/reset/]')`,
		'tinbox messages wait "$addr" --new --absent --timeout 5s',
	)
		.addOption(new Option('--new', 'only what comes from now on').conflicts('after'))
		.addOption(countOption('--count <number>', 'wait for this many (default: 1)', maxLimit))
		.addOption(new Option('--absent', 'succeed when nothing came in the time').conflicts(['count', 'field']))
		.addOption(durationOption('--timeout <duration>', 'how long to wait').default(30_000, '30s'))
		.addOption(fieldOption().conflicts('json'))
		.addOption(jsonOption(messageFields))
		.addOption(reportOption())
		.addHelpText(
			'after',
			`
A pattern is a text, compared without case, or a /regex/ with the flags i, m and s. All that are given must fit.
With --field code, link or 'link[<pattern>]' the wait is for a message that has one.

Exits with 124 when the time is over; stderr says what did arrive, why it did not match, what was refused, and how many
messages were evicted: with --new or --after while it waited, else ever. Exits with 6
when the message does not have another field, and when something came in spite of --absent. A daemon that ends meanwhile
is waited for, too: 3 when it is not back in time.`,
		)
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
