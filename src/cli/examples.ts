import type {Command} from 'commander';

/** Shows what to type, before anything else in the command's help. */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
	return command.addHelpText('before', `Examples:\n${examples.map(line => `  ${line}\n`).join('')}`);
}
