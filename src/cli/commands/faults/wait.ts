import type {Command} from 'commander';
import {maxLimit} from '../../../contract/constants.js';
import {faultHitFields} from '../../../contract/field-names.js';
import type {Context} from '../../context.js';
import {addHelpNote} from '../../help/layout.js';
import {addExamples, countOption, durationOption, type JsonFlag, jsonOption} from '../../options.js';
import {usageError} from '../../output/exit.js';
import {printJson, printJsonLine} from '../../output/print.js';
import {recorded, reportOption} from '../../output/report.js';
import type {ReportTarget} from '../../output/report-file.js';
import {withSpinner} from '../../output/spinner.js';
import {printRow} from '../../output/table.js';
import {hitColumns} from './columns.js';
import {didNotAct} from './evidence.js';
import {addHolder, faultArgument, findFault, findHolder, type HolderFlag, readOperands} from './holder.js';

type WaitFlags = HolderFlag &
	JsonFlag & {
		readonly count: number;
		/** Milliseconds. */
		readonly timeout: number;
		readonly report?: ReportTarget;
	};

export function addWait(faults: Command, context: Context): void {
	const command = faults.command('wait').description('wait for past or new hits of a fault and print them');
	addHelpNote(command, 'The exit code is 124 after a timeout; stderr lists the hits so far and what is missing.');
	addExamples(
		command,
		'tinbox faults wait signup greylist',
		'tinbox faults wait signup rate-limit --count 3 --timeout 1m',
	);
	addHolder(command, faultArgument)
		.usage('[options] <inbox> <fault>')
		.addOption(countOption('--count <number>', 'number of hits to wait for', maxLimit).default(1))
		.addOption(durationOption('--timeout <duration>', 'maximum time to wait').default(30_000, '30s'))
		.addOption(jsonOption(faultHitFields))
		.addOption(reportOption())
		.action(async (_inbox, _fault, {report, ...flags}: WaitFlags) => {
			const {inbox, further} = readOperands(command.args, flags);
			if (further === undefined) {
				throw usageError('Specify the fault to wait for.', 'List all faults: tinbox faults list <inbox>');
			}

			const name = `${flags.count} ${flags.count === 1 ? 'hit' : 'hits'} of ${further}`;
			await recorded(report, name, context, async () => wait(inbox, further, flags, context));
		});
}

async function wait(
	inbox: string | undefined,
	faultName: string,
	{count, timeout, json}: WaitFlags,
	context: Context,
): Promise<void> {
	const holder = await findHolder(context, inbox);
	const {client, inboxId} = holder;
	const {id} = await findFault(holder, faultName);
	const newest = await withSpinner(context, `waiting for ${faultName} of ${holder.name}`, () =>
		client.faults.wait(inboxId, {fault: id, count, timeoutMs: timeout}),
	);
	const found = newest.toReversed();
	if (found.length < count) {
		throw didNotAct(await client.faults.get(inboxId, id), holder, {count, timeout, found});
	}

	for (const hit of found) {
		if (!json) {
			printRow(context, hitColumns, hit);
		} else if (count === 1) {
			printJson(context.io, hit, json);
		} else {
			printJsonLine(context.io, hit, json);
		}
	}
}
