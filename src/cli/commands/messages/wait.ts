import {type Command, Option} from 'commander';
import type {Client} from '../../../client/index.js';
import {mostCollected} from '../../../client/messages.js';
import type {MessageBody} from '../../../contract/messages.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {findInbox} from '../../find-inbox.js';
import {countOption, durationOption, type JsonFields, jsonOption} from '../../options.js';
import {printJson, printJsonLine} from '../../output.js';
import {type Report, recorded, reportOption} from '../../report.js';
import {withSpinner} from '../../spinner.js';
import {printRow} from '../../table.js';
import {timedOut, unwelcome} from './evidence.js';
import {type Field, fieldOption, readField} from './field.js';
import {messageFields} from './fields.js';
import {addFilterFlags, describeFilter, type FilterFlags, filterOf} from './filter.js';
import {messageColumns} from './row.js';

export type WaitOptions = FilterFlags & {
	readonly inbox: string;
	readonly new?: boolean;
	readonly count?: number;
	readonly absent?: boolean;
	/** Milliseconds. */
	readonly timeout: number;
	readonly json?: JsonFields;
	readonly field?: Field;
	readonly report?: Report;
};

export function addWait(parent: Command, context: Context, run = runWait): void {
	const command = parent
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
		.addOption(countOption('--count <number>', 'wait for so many, 1 unless given', mostCollected))
		.addOption(new Option('--absent', 'succeed when nothing came in the time').conflicts(['count', 'field']))
		.addOption(durationOption('--timeout <duration>', 'how long to wait').default(30_000, '30s'))
		.addOption(fieldOption().conflicts('json'))
		.addOption(jsonOption(messageFields))
		.addOption(reportOption())
		.addHelpText(
			'after',
			`
A pattern is a text, compared without case, or a /regex/ with the flags i, m and s. All that are given must fit.

Exits with 124 when the time is over; stderr says what did arrive, and why that was not it. Exits with 6 when the
message does not have the field, and when something came in spite of --absent.`,
		)
		.action(async (inbox: string, flags: Omit<WaitOptions, 'inbox'>) => run({inbox, ...flags}, context));
}

export async function runWait({report, ...options}: WaitOptions, context: Context): Promise<void> {
	const name = `${options.absent ? 'no message' : 'a message'}${describeFilter(options)} in ${options.inbox}`;
	await recorded(report, name, context, () => wait(options, context));
}

async function wait(
	{inbox: text, timeout, count = 1, absent, ...options}: Omit<WaitOptions, 'report'>,
	context: Context,
): Promise<void> {
	const {io, api, now} = context;
	const client = await api();
	const inbox = await findInbox(client, text);
	const after = options.new ? await newestId(client, inbox.id) : options.after;
	const filter = {...filterOf(options), after};
	const found = await withSpinner(context, `waiting for mail to ${inbox.email_address}`, () =>
		client.messages.collect(inbox.id, filter, {count, timeoutMs: timeout}),
	);
	const awaited = {inbox, filter, wanted: describeFilter(options), count, timeout, found, now: now()};
	if (absent ? found.length > 0 : found.length < count) {
		throw absent ? unwelcome(awaited) : await timedOut(client, awaited);
	}

	if (!absent) {
		await print(found, options, client, {io, now});
	}
}

/** Undefined in an empty inbox: whatever comes there is new. */
async function newestId({messages}: Pick<Client, 'messages'>, inboxId: string): Promise<string | undefined> {
	return (await messages.list(inboxId, {limit: 1}))[0]?.id;
}

/** Nothing is printed before everything is there. */
async function print(
	messages: readonly MessageBody[],
	{json, field}: Pick<WaitOptions, 'json' | 'field'>,
	client: Client,
	{io, now}: Pick<Context, 'io' | 'now'>,
): Promise<void> {
	if (field) {
		const values = [];
		for (const message of messages) {
			values.push(await readField(client, message, field));
		}

		io.stdout.write(`${values.join('\n')}\n`);
		return;
	}

	for (const message of messages) {
		if (!json) {
			printRow(io, messageColumns(now()), message);
		} else if (messages.length === 1) {
			printJson(io, message, json);
		} else {
			printJsonLine(io, message, json);
		}
	}
}
