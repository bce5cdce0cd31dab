import type {Argument, Command, Option} from 'commander';
import {sanitizeLine} from '../../lib/sanitize.js';

export type Candidate = {readonly value: string; readonly description: string};

/** What can stand in place of the last word; `files` leaves it to the shell. */
export type Completion = readonly Candidate[] | 'files';

/** Names of things that exist now: `kind` is what the help calls the argument, `operands` are those before it. */
export type Live = (kind: string, operands: readonly string[]) => Promise<readonly Candidate[]>;

/** Where in the command tree the words before the last one lead. */
type Position = {
	readonly command: Command;
	readonly operands: readonly string[];
	/** An option that still wants its value. */
	readonly pending?: Option | undefined;
	/** Behind `--` there are no options. */
	readonly isOpen: boolean;
};

const files = new Set(['file', 'path', 'command']);

/** Completes the last of the words behind `tinbox`; none of them is ever evaluated. */
export async function complete(program: Command, words: readonly string[], live: Live): Promise<Completion> {
	const current = words.at(-1) ?? '';
	const found = await candidatesFor(current, locate(program, words.slice(0, -1)), live);
	return found === 'files' ? found : found.filter(({value}) => value.startsWith(current) && isPrintable(value));
}

function locate(program: Command, words: readonly string[]): Position {
	return words.reduce<Position>(
		({command, operands, pending, isOpen}, word) => {
			if (pending) {
				return {command, operands, isOpen, pending: pending.variadic ? pending : undefined};
			}

			if (isOpen && word.startsWith('-')) {
				return {command, operands, isOpen: word !== '--', pending: withoutValue(word, command)};
			}

			const sub = operands.length === 0 ? command.commands.find(candidate => candidate.name() === word) : undefined;
			return sub ? {command: sub, operands, isOpen} : {command, operands: [...operands, word], isOpen};
		},
		{command: program, operands: [], isOpen: true},
	);
}

/** The option that a word names, if the next word is to be its value. */
function withoutValue(word: string, command: Command): Option | undefined {
	const option = optionsOf(command).find(({short, long}) => word === short || word === long);
	return option?.required ? option : undefined;
}

async function candidatesFor(current: string, position: Position, live: Live): Promise<Completion> {
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
		return commands.map(sub => ({value: sub.name(), description: sub.description()}));
	}

	const {registeredArguments: declared} = command;
	const argument = declared[operands.length] ?? declared.findLast(({variadic}) => variadic);
	return argument ? values(argument, operands, live) : [];
}

function flags(command: Command): readonly Candidate[] {
	return optionsOf(command).flatMap(({long, description}) => (long ? [{value: long, description}] : []));
}

/** Its own and `--help`, and what of the program's goes with every command. */
function optionsOf(command: Command): readonly Option[] {
	let program = command;
	while (program.parent) {
		program = program.parent;
	}

	const own = command.createHelp().visibleOptions(command);
	return program === command ? own : [...own, ...program.options.filter(({long}) => long !== '--version')];
}

async function values(of: Option | Argument, operands: readonly string[], live: Live): Promise<Completion> {
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
