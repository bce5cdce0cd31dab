import {Argument, type Command} from 'commander';
import {commandTable} from '../command-table.js';
import type {Context} from '../context.js';
import {helpWidth} from '../help/layout.js';
import {helpTopics} from '../help/topics.js';
import {usageError} from '../output/exit.js';

export function fillHelp(command: Command, context: Context): void {
	const names = Object.keys(helpTopics);
	const argument = new Argument('[words...]', `command, or topic: ${names.join(', ')}`);
	argument.argChoices = [...names, ...commandTable.flatMap(({name, section}) => (section ? [name] : []))];
	command
		.addArgument(argument)
		.action((words: readonly string[]) => printHelp(words, command.parent ?? command, context));
}

/** Prints the help of the program, a command or a topic. */
function printHelp(words: readonly string[], program: Command, {io}: Context): void {
	const topic = words.length === 1 && Object.entries(helpTopics).find(([name]) => name === words[0]);
	if (topic) {
		io.stdout.write(`${topic[1].text(helpWidth(io.stdout))}\n`);
	} else {
		find(words, program).outputHelp();
	}
}

function find(words: readonly string[], program: Command): Command {
	return words.reduce((command, word) => {
		const found = command.commands.find(candidate => candidate.name() === word);
		if (!found) {
			throw usageError(
				`There is no command or topic "${words.join(' ')}".`,
				'See all commands and topics: tinbox help',
			);
		}

		return found;
	}, program);
}
