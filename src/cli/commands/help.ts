import {Argument, type Command} from 'commander';
import {commandTable} from '../command-table.js';
import type {Context} from '../context.js';
import {usageError} from '../exit.js';
import {topics} from '../help/topics.js';

export type HelpOptions = {readonly words: readonly string[]};

/** Declares the arguments of `tinbox help`. */
export function fillHelp(command: Command, context: Context): void {
	const names = Object.keys(topics);
	const argument = new Argument('[words...]', `a command, or one of the topics ${names.join(', ')}`);
	argument.argChoices = [...names, ...commandTable.flatMap(({name, section}) => (section ? [name] : []))];
	command
		.addArgument(argument)
		.action((words: readonly string[]) => runHelp({words}, command.parent ?? command, context));
}

/** Prints the help of the program, a command or a topic. */
export function runHelp({words}: HelpOptions, program: Command, {io}: Context): void {
	const topic = words.length === 1 && Object.entries(topics).find(([name]) => name === words[0]);
	if (topic) {
		io.stdout.write(`${topic[1].text()}\n`);
	} else {
		find(words, program).outputHelp();
	}
}

function find(words: readonly string[], program: Command): Command {
	return words.reduce((command, word) => {
		const found = command.commands.find(candidate => candidate.name() === word);
		if (!found) {
			throw usageError(`There is no command or topic "${words.join(' ')}".`, 'See what there is: tinbox help');
		}

		return found;
	}, program);
}
