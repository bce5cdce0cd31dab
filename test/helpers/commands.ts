import type {Command} from 'commander';
import {commandTable, createProgram} from '../../src/cli/program.js';
import {fakeContext} from './context.js';

/** The whole command tree; help is laid out for 80 columns. */
export async function wholeProgram(): Promise<Command> {
	return createProgram(fakeContext().context, ['', ...commandTable.map(({name}) => name)]);
}

/** Every command below `command`, paired with the words that call it. */
export function commandsBelow(command: Command, prefix = 'tinbox'): Array<readonly [words: string, command: Command]> {
	return command.commands.flatMap(sub => {
		const words = `${prefix} ${sub.name()}`;
		return [[words, sub] as const, ...commandsBelow(sub, words)];
	});
}

/** The output of `--help`. */
export function helpOf(command: Command): string {
	let text = '';
	command.configureOutput({writeOut: part => (text += part)}).outputHelp();
	return text;
}
