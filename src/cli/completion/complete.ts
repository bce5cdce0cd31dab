import type {Argument, Command, Option} from 'commander';
import {sanitizeLine} from '../../lib/text/sanitize.js';

export type Suggestion = {readonly value: string; readonly description: string};

/** Suggestions for the last word; `files` lets the shell suggest file names. */
export type Completion = readonly Suggestion[] | 'files';

/** Looks up names of existing things: `kind` is the argument's name in the help, `operands` are those before it. */
export type NameSource = (kind: string, operands: readonly string[]) => Promise<readonly Suggestion[]>;

/** Where in the command tree the words before the last one lead. */
type Position = {
	readonly command: Command;
	readonly operands: readonly string[];
	/** An option whose value comes next. */
	readonly pending?: Option | undefined;
	/** Whether options may follow: not after `--`, nor after a word of the user's own command. */
	readonly isOpen: boolean;
};

/** The argument that is a command of the user's own. */
const ownCommand = 'command';

/** Stands in place of the first argument, which then is an empty operand. */
const inPlaceOfFirst = '--daemon';

const files = new Set(['file', 'path', ownCommand]);

/** Completes the last of the words after `tinbox`; none of them is ever evaluated. */
export async function complete(program: Command, words: readonly string[], live: NameSource): Promise<Completion> {
	const current = words.at(-1) ?? '';
	const found = await suggestionsFor(current, locate(program, words.slice(0, -1)), live);
	return found === 'files' ? found : found.filter(({value}) => value.startsWith(current) && isPrintable(value));
}

function locate(program: Command, words: readonly string[]): Position {
	return words.reduce<Position>(
		({command, operands, pending, isOpen}, word) => {
			if (pending) {
				return {command, operands, isOpen, pending: pending.variadic ? pending : undefined};
			}

			if (word === inPlaceOfFirst && isOpen && command.registeredArguments.length > 0) {
				return {command, operands: ['', ...operands], isOpen};
			}

			if (isOpen && word.startsWith('-')) {
				return {command, operands, isOpen: word !== '--', pending: withoutValue(word, command)};
			}

			const sub = operands.length === 0 ? command.commands.find(candidate => candidate.name() === word) : undefined;
			const isOwn = command.registeredArguments[0]?.name() === ownCommand;
			return sub
				? {command: sub, operands, isOpen}
				: {command, operands: [...operands, word], isOpen: isOpen && !isOwn};
		},
		{command: program, operands: [], isOpen: true},
	);
}

/** The option that a word names, if the next word is its value. */
function withoutValue(word: string, command: Command): Option | undefined {
	const option = optionsOf(command).find(({short, long}) => word === short || word === long);
	return option?.required ? option : undefined;
}

async function suggestionsFor(current: string, position: Position, live: NameSource): Promise<Completion> {
	const {command, operands, pending, isOpen} = position;
	if (pending) {
		return pending.variadic && current.startsWith('-') ? flags(command) : values(pending, operands, live);
	}

	const [, flag, before = ''] = /^(--[\w-]+=)(.*,)?/.exec(current) ?? [];
	if (isOpen && flag !== undefined) {
		const option = optionsOf(command).find(({long}) => `${long}=` === flag);
		const found = option ? await values(option, operands, live) : [];
		return found === 'files' ? [] : found.map(({value, description}) => ({value: flag + before + value, description}));
	}

	if (isOpen && current.startsWith('-')) {
		return flags(command);
	}

	const help = command.createHelp();
	const commands = operands.length === 0 ? help.visibleCommands(command) : [];
	if (commands.length > 0) {
		return commands.map(sub => ({value: sub.name(), description: sub.summary() || sub.description()}));
	}

	const {registeredArguments: declared} = command;
	const argument = declared[operands.length] ?? declared.findLast(({variadic}) => variadic);
	return argument ? values(argument, operands, live) : [];
}

function flags(command: Command): readonly Suggestion[] {
	return optionsOf(command).flatMap(({long, description}) => (long ? [{value: long, description}] : []));
}

/** Its own options and `--help`, and those of the program that every command takes. */
function optionsOf(command: Command): readonly Option[] {
	let program = command;
	while (program.parent) {
		program = program.parent;
	}

	const own = command.createHelp().visibleOptions(command);
	return program === command ? own : [...own, ...program.options.filter(({long}) => long !== '--version')];
}

async function values(of: Option | Argument, operands: readonly string[], live: NameSource): Promise<Completion> {
	if (of.argChoices) {
		return of.argChoices.map(value => ({value, description: ''}));
	}

	const kind = kindOf(of);
	return files.has(kind) ? 'files' : live(kind, operands);
}

/** The name of the value in the help: `inbox` in `<inbox...>`. */
function kindOf(of: Option | Argument): string {
	return 'flags' in of ? (/[<[]([^\].>]+)/.exec(of.flags)?.[1] ?? '') : of.name();
}

function isPrintable(value: string): boolean {
	return sanitizeLine(value) === value;
}
