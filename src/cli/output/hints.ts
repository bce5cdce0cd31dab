import {type Command, CommanderError} from 'commander';
import {UnreachableError} from '../../client/errors.js';
import type {Context} from '../context.js';

/** The command line that failed. */
export type FailedLine = Pick<Context, 'env'> & {readonly program: Command; readonly args: readonly string[]};

/** What to do about an error that only the command line and the environment tell; undefined when they say nothing of it. */
export function hintFor(error: unknown, {env, program, args}: FailedLine): string | undefined {
	if (error instanceof UnreachableError && error.url === env['TINBOX_URL']) {
		return 'TINBOX_URL is set to that, so no daemon of this machine is used or started. Start the daemon there, or unset TINBOX_URL.';
	}

	return error instanceof CommanderError ? usageHint(error, program, args) : undefined;
}

/** Where the right arguments are explained. */
function usageHint({code}: CommanderError, program: Command, args: readonly string[]): string {
	if (code === 'commander.excessArguments' && args.includes('--json=')) {
		return 'Fields follow an equals sign, as in --json=id';
	}

	const words = ['tinbox'];
	let command: Command | undefined = program;
	for (const arg of args) {
		command = command.commands.find(candidate => candidate.name() === arg);
		if (command === undefined) {
			break;
		}

		words.push(arg);
	}

	return `See: ${words.join(' ')} --help`;
}
