import path from 'node:path';
import {type Command, CommanderError} from 'commander';
import {ApiError, isUntrusted, UnreachableError} from '../../client/errors.js';
import {errorCode} from '../../lib/errors.js';
import type {Context} from '../context.js';
import type {Failure} from './failure.js';

/** Words of other programs for what a group of commands does; the first that the group has is meant. */
const verbs = Object.entries<readonly string[]>({
	add: ['create', 'invite'],
	create: ['add'],
	new: ['create', 'add'],
	get: ['show', 'list'],
	read: ['show'],
	view: ['show'],
	cat: ['show'],
	ls: ['list'],
	rm: ['delete', 'revoke', 'remove', 'clear'],
	remove: ['delete', 'revoke', 'clear'],
	delete: ['revoke', 'clear'],
	edit: ['update', 'rename'],
	set: ['update', 'rename'],
	search: ['list'],
	find: ['list'],
	watch: ['tail'],
	logs: ['deliveries'],
});

/** The same for whole lines. */
const lines = Object.entries({
	start: 'daemon start',
	stop: 'daemon stop',
	restart: 'daemon restart',
	status: 'daemon status',
	logs: 'daemon logs',
	create: 'inbox create',
	new: 'inbox create',
	list: 'inbox list',
	ls: 'inbox list',
	wait: 'messages wait <inbox>',
	tail: 'messages tail',
	msg: 'messages',
	mail: 'messages',
	fault: 'faults',
	browser: 'open',
	web: 'open',
	ui: 'open',
	chaos: 'faults',
	version: '--version',
	'-v': '--version',
	'inbox clear': 'messages delete <inbox> --all',
	'inbox empty': 'messages delete <inbox> --all',
	'inbox purge': 'messages delete <inbox> --all',
	'inbox wait': 'messages wait <inbox>',
	'messages clear': 'messages delete <inbox> --all',
	'messages purge': 'messages delete <inbox> --all',
});

/** Flags that mean one of here wherever it is taken. */
const flags = Object.entries({'--output': '--json', '-o': '--json'});

/** The line that was meant by a word which the group of commands does not know, without `tinbox`; a group may be the empty one. */
function meantCommand(group: string, word: string, known: readonly string[]): string | undefined {
	const verb = new Map(verbs).get(word)?.find(candidate => known.includes(candidate));
	return new Map(lines).get(`${group} ${word}`.trim()) ?? (verb && `${group} ${verb}`);
}

/** The flag that was meant by one that the command does not know. */
function meantFlag(flag: string, known: readonly string[]): string | undefined {
	const meant = new Map(flags).get(flag);
	return meant !== undefined && known.includes(meant) ? meant : undefined;
}

/** The command line that failed, and where. */
type FailedLine = Pick<Context, 'env' | 'paths'> & {readonly program: Command; readonly args: readonly string[]};

type Explained = Partial<Pick<Failure, 'message' | 'hint'>>;

/** What the command line and its environment tell of an error that the error alone does not. */
export function explainLine(error: unknown, line: FailedLine): Explained {
	if (error instanceof CommanderError) {
		return explainUsage(error, line);
	}

	if (error instanceof ApiError && error.errors.length > 0) {
		const {command} = namedCommand(line);
		return {
			message: `${error.errors.map(({field, message}) => `${flagOfField(field, command)} ${message}`).join('; ')}.`,
		};
	}

	return explainPlace(error, line);
}

/** What the variables and folders that a command uses tell of an error. */
export function explainPlace(error: unknown, {env, paths}: Pick<FailedLine, 'env' | 'paths'>): Explained {
	if (error instanceof UnreachableError && error.url === env['TINBOX_URL'] && !isUntrusted(error)) {
		return {
			hint: 'TINBOX_URL is set to this address, so the local daemon is not used or started. Start a daemon at this address, or unset TINBOX_URL.',
		};
	}

	return isLockedOut(error, paths) ? {hint: 'Set TINBOX_HOME to a folder that you can write to.'} : {};
}

/** The command that the line names, and the words that name it. */
function namedCommand({program, args}: FailedLine): {readonly command: Command; readonly words: readonly string[]} {
	const words: string[] = [];
	let command = program;
	for (const [index, arg] of args.entries()) {
		if (!arg.startsWith('-') && args[index - 1] !== '--profile') {
			const named = command.commands.find(candidate => candidate.name() === arg);
			if (named === undefined) {
				break;
			}

			words.push(arg);
			command = named;
		}
	}

	return {command, words};
}

/** With the command or the flag that was meant, where it is known by another name, or where the right ones are explained. */
function explainUsage({code, message}: CommanderError, line: FailedLine): Explained {
	if (code === 'commander.excessArguments' && line.args.includes('--json=')) {
		return {hint: 'Put the fields after an equals sign: --json=id'};
	}

	const {command, words} = namedCommand(line);
	if (code === 'commander.excessArguments' && line.args.at(-1)?.includes('@') && takes(command, '--address')) {
		return {hint: `Did you mean "tinbox ${words.join(' ')} --address <address>"?`};
	}

	const group = words.join(' ');
	const [, word = ''] = /^error: unknown (?:command|option) '([^'=]+)/.exec(message) ?? [];
	const meant = meantCommand(
		group,
		word,
		command.commands.map(sub => sub.name()),
	);
	const flag = meantFlag(
		word,
		command.options.flatMap(({long}) => long ?? []),
	);
	const call = ['tinbox', ...words].join(' ');
	const right = meant === undefined ? flag && `${call} ${flag}` : `tinbox ${meant}`;
	return right === undefined
		? {hint: `See: ${call} --help`}
		: {
				message: `Unknown ${word.startsWith('-') ? 'option' : 'command'} "${word}" for "${call}".`,
				hint: `Did you mean "${right}"?`,
			};
}

function takes(command: Command, flag: string): boolean {
	return command.options.some(({long}) => long === flag);
}

/** Names of fields that a flag has another name for. */
const flagNames: Readonly<Record<string, string>> = {
	email_address: 'address',
	team_id: 'team',
	q: 'subject',
	delay_ms: 'delay',
	byte_delay_ms: 'byte-delay',
	recipients: 'recipient',
	'bounce.delay_ms': 'bounce-after',
};

/** How the command is given what the API calls by this name: a flag or an argument, else the name itself. */
function flagOfField(field: string, command: Command): string {
	const [list = field] = field.replace(/^match\./, '').split('.');
	const name = flagNames[field] ?? flagNames[list] ?? list.replaceAll('_', '-');
	const argument = command.registeredArguments.find(declared => declared.name() === name);
	return takes(command, `--${name}`) ? `--${name}` : argument ? `<${name}>` : `"${field}"`;
}

const refusals: ReadonlyArray<string | undefined> = ['EACCES', 'EPERM', 'EROFS'];

/** Whether the system refused to write where this tinbox has its folders, or to make them. */
function isLockedOut(error: unknown, paths: Context['paths']): boolean {
	const place = error instanceof Error && 'path' in error ? String(error.path) : undefined;
	const own = [path.dirname(paths.settingsFile), path.dirname(paths.stateFile), paths.dataDir];
	return (
		refusals.includes(errorCode(error)) &&
		place !== undefined &&
		own.some(folder => isWithin(folder, place) || isWithin(place, folder))
	);
}

function isWithin(inner: string, outer: string): boolean {
	return inner === outer || inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
}
