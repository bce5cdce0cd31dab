import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {lastLines} from '../../control/log-file.js';
import {countOption} from '../../options.js';
import {note} from '../../output.js';

export type LogsOptions = {readonly lines: number};

export function addLogs(parent: Command, context: Context, run = runLogs): void {
	parent
		.command('logs')
		.description('print the end of the log, also of a daemon that has stopped')
		.addOption(countOption('-n, --lines <number>', 'how many lines').default(50))
		.action(async (options: LogsOptions) => run(options, context));
}

export async function runLogs({lines}: LogsOptions, {io, paths}: Context): Promise<void> {
	const tail = lastLines(paths.logFile, lines);
	if (tail) {
		io.stdout.write(`${tail}\n`);
	} else {
		note(io, `Nothing was logged to ${paths.logFile} yet.`);
	}
}
