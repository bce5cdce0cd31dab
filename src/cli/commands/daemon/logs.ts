import type {Command} from 'commander';
import {readableLogLine} from '../../../lib/log.js';
import {plainLine} from '../../../lib/text/sanitize.js';
import type {Context} from '../../context.js';
import {followLog, lastLines} from '../../control/read-log.js';
import {untilSignal} from '../../control/until-signal.js';
import {addHelpNote} from '../../help/layout.js';
import {addExamples, countOption} from '../../options.js';
import {note} from '../../output/print.js';

type LogsFlags = {readonly lines: number; readonly follow?: boolean};

export function addLogs(daemon: Command, context: Context): void {
	const command = daemon.command('logs').description('print the last lines of the daemon log');
	addHelpNote(
		command,
		'On a pipe, each line is a JSON object. The log is also available after the daemon has stopped.',
	);
	addExamples(command, 'tinbox daemon logs -f', 'tinbox daemon logs -n 200 | jq \'select(.level == "error")\'')
		.addOption(countOption('-n, --lines <number>', 'number of lines').default(50))
		.option('-f, --follow', 'keep printing new lines')
		.action(async (flags: LogsFlags) => printLog(flags, context));
}

async function printLog({lines: count, follow}: LogsFlags, context: Context): Promise<void> {
	const {io, paths} = context;
	const lines = lastLines(paths.logFile, count);
	if (!lines && !follow) {
		note(io, `The log ${paths.logFile} is empty.`);
	}

	for (const line of lines ?? []) {
		print(line, context);
	}

	if (follow) {
		await untilSignal(async ended => {
			for await (const line of followLog(paths.logFile, ended)) {
				print(line, context);
			}
		});
	}
}

function print(line: string, {io: {stdout}}: Context): void {
	stdout.write(`${stdout.isTTY ? readable(line) : plainLine(line)}\n`);
}

/** A line that is not JSON comes from Node.js itself, such as a stack trace at a crash. */
function readable(line: string): string {
	try {
		return readableLogLine(JSON.parse(line));
	} catch {
		return plainLine(line);
	}
}
