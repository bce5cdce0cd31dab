import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {findInbox} from '../../find-inbox.js';
import {durationOption, fieldOption, type JsonFields, jsonOption} from '../../options.js';
import {printJson} from '../../output.js';
import {printRow} from '../../table.js';
import {type BareField, bareFields, bareValue, messageFields} from './fields.js';
import {addFilterFlags, type FilterFlags, filterOf} from './filter.js';
import {messageColumns} from './row.js';
import {timedOut} from './timed-out.js';

export type WaitOptions = FilterFlags & {
	readonly inbox: string;
	/** Milliseconds. */
	readonly timeout: number;
	readonly json?: JsonFields;
	readonly field?: BareField;
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
	)
		.addOption(durationOption('--timeout <duration>', 'how long to wait').default(30_000, '30s'))
		.addOption(fieldOption(bareFields).conflicts('json'))
		.addOption(jsonOption(messageFields))
		.addHelpText('after', '\nExits with 124 when the time is over; what did arrive is then said on stderr.')
		.action(async (inbox: string, flags: Omit<WaitOptions, 'inbox'>) => run({inbox, ...flags}, context));
}

export async function runWait(
	{inbox: text, timeout, json, field, ...filter}: WaitOptions,
	context: Context,
): Promise<void> {
	const {io, api, now} = context;
	const client = await api();
	const inbox = await findInbox(client, text);
	const message = await client.messages.wait(inbox.id, filterOf(filter), {timeoutMs: timeout});
	if (!message) {
		throw await timedOut(client, inbox, {filter, timeout, now: now()});
	}

	if (json) {
		printJson(io, message, json);
	} else if (field) {
		io.stdout.write(`${bareValue(await client.messages.get(inbox.id, message.id), field)}\n`);
	} else {
		printRow(io, messageColumns(now()), message);
	}
}
