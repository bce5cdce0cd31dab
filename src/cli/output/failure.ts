import path from 'node:path';
import {type Command, CommanderError} from 'commander';
import {ApiError, isUntrusted, UnreachableError} from '../../client/errors.js';
import {SettingError} from '../../config/settings-file.js';
import {CertificateError, causeOf, DataDirError, errorCode, StoreError, UnsafePathError} from '../../lib/errors.js';
import type {Context} from '../context.js';
import {openBareJson} from '../options.js';
import {Exit, type ExitCode, exitCodes} from './exit.js';

/** Error as shown to the user. */
export type Failure = {
	readonly exitCode: number;
	readonly code: string;
	readonly message: string;
	readonly hint?: string | undefined;
	readonly details?: Readonly<Record<string, unknown>>;
};

/** Exit codes by HTTP status; the default is 1. */
const exitCodeOf: Readonly<Record<number, ExitCode>> = {
	400: exitCodes.usage,
	401: exitCodes.denied,
	403: exitCodes.denied,
	404: exitCodes.notFound,
};

/** Errors with a message for users, and their codes. */
const errorKinds = [
	[SettingError, 'usage'],
	[DataDirError, 'data_dir'],
	[StoreError, 'store'],
	[CertificateError, 'certificate'],
	[UnsafePathError, 'unsafe_path'],
] as const;

/** Converts any error to its exit code, code, message and hint. */
export function describeFailure(error: unknown): Failure {
	if (error instanceof Exit) {
		return error;
	}

	if (error instanceof ApiError) {
		const {status, code, detail, errors} = error;
		return {
			exitCode: exitCodeOf[status] ?? exitCodes.failed,
			code,
			message: detail,
			hint: status === 401 ? 'Check TINBOX_API_KEY and TINBOX_TOKEN, or log in again: tinbox login' : undefined,
			details: {status, ...(errors.length > 0 && {errors})},
		};
	}

	if (error instanceof UnreachableError) {
		const hint = isUntrusted(error)
			? 'Save the output of "tinbox tls ca" from that machine to a file, and set NODE_EXTRA_CA_CERTS=<file>.'
			: 'Check the daemon: tinbox daemon status';
		return {exitCode: exitCodes.noDaemon, code: 'no_daemon', message: error.message, hint};
	}

	const [, code] = errorKinds.find(([kind]) => error instanceof kind) ?? [];
	if (code !== undefined && error instanceof Error) {
		return {exitCode: code === 'usage' ? exitCodes.usage : exitCodes.failed, code, message: error.message};
	}

	if (error instanceof CommanderError) {
		const message = usageMessage(openBareJson(error.message.replace(/^error: /, '')));
		return {exitCode: exitCodes.usage, code: 'usage', message};
	}

	if (error instanceof Error && 'syscall' in error) {
		return {exitCode: exitCodes.failed, code: 'system', message: explainSystemError(error)};
	}

	return {
		exitCode: exitCodes.failed,
		code: 'internal',
		message: `Unexpected error: ${isEngineError(error) ? `${error.name} in tinbox. This is a bug.` : causeOf(error)}`,
		hint: 'Set TINBOX_DEBUG=1 to print the stack trace.',
	};
}

/** Replaces messages of commander by the wording of other errors. */
const usageMessages: ReadonlyArray<readonly [RegExp, string]> = [
	[
		/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*)$/s,
		'Invalid $1 "$2". Supported: $3',
	],
	[/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./s, 'Invalid $1 "$2".'],
	[
		/^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)$/s,
		'Invalid <$2> "$1". Supported: $3',
	],
	[/^command-argument value '(.*)' is invalid for argument '(.*)'\./s, 'Invalid <$2> "$1".'],
	[/^option '(.*)' argument missing$/, 'Missing value of $1.'],
	[/^required option '(.*)' not specified$/, 'Missing option $1.'],
	[/^missing required argument '(.*)'$/, 'Missing argument <$1>.'],
	[/^unknown (option|command) '(.*?)'\n\(Did you mean (.*)\?\)$/s, 'Unknown $1 "$2". Did you mean $3?'],
	[/^unknown (option|command) '(.*)'$/s, 'Unknown $1 "$2".'],
	[
		/^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/,
		'Too many arguments for "$1": expected $2, got $3.',
	],
];

function usageMessage(message: string): string {
	const [pattern, replacement] = usageMessages.find(([pattern]) => pattern.test(message)) ?? [];
	return pattern && replacement ? message.replace(pattern, replacement) : message;
}

/** Checks whether the JavaScript engine threw the error, which is a bug in tinbox. */
function isEngineError(error: unknown): error is Error {
	const isNative = [TypeError, RangeError, ReferenceError, SyntaxError].some(kind => error instanceof kind);
	return isNative && errorCode(error) === undefined;
}

/** Usual wording of errors of the operating system. */
const systemErrors: Readonly<Record<string, string>> = {
	ENOENT: 'No such file or directory',
	EACCES: 'Permission denied',
	EPERM: 'Operation not permitted',
	EISDIR: 'Is a directory',
	ENOTDIR: 'Not a directory',
	EEXIST: 'File exists',
	ENAMETOOLONG: 'File name too long',
	ELOOP: 'Too many symbolic links',
	EROFS: 'Read-only file system',
	ENOSPC: 'No space left on device',
	EMFILE: 'Too many open files',
};

/** Describes an error of the operating system, with its code if the table has no sentence. */
function explainSystemError(error: Error): string {
	const {code = '', path, syscall}: NodeJS.ErrnoException = error;
	if (path === undefined) {
		return `System call "${syscall}" failed: ${code}.`;
	}

	const known = systemErrors[code];
	return known === undefined ? `System call "${syscall}" failed for ${path}: ${code}.` : `${known}: ${path}`;
}

/** Subcommands suggested for an unknown one, in order of preference. */
const commandSynonyms = new Map<string, readonly string[]>(
	Object.entries({
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
	}),
);

/** Commands suggested for unknown ones. */
const commandLines = new Map(
	Object.entries({
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
	}),
);

/** Unknown flags for which `--json` is suggested. */
const jsonSynonyms = ['--output', '-o'];

/** Suggested command line for an unknown word of a command, without `tinbox`. `group` is empty at the top level. */
function suggestLine(group: string, word: string, command: Command): string | undefined {
	const known = command.commands.map(sub => sub.name());
	const verb = commandSynonyms.get(word)?.find(candidate => known.includes(candidate));
	const flag = jsonSynonyms.includes(word) && hasFlag(command, '--json') ? '--json' : undefined;
	const [last] = [verb, flag].filter(name => name !== undefined);
	return commandLines.get(`${group} ${word}`.trim()) ?? (last && `${group} ${last}`.trim());
}

/** Failed command line and its environment. */
type FailedLine = Pick<Context, 'env' | 'paths'> & {readonly program: Command; readonly args: readonly string[]};

type Explained = Partial<Pick<Failure, 'message' | 'hint'>>;

/** Message and hint that depend on the command line and its environment. */
export function explainLine(error: unknown, line: FailedLine): Explained {
	if (error instanceof CommanderError) {
		return explainUsage(error, line);
	}

	if (error instanceof ApiError && error.errors.length > 0) {
		const {command} = findCommand(line);
		const problems = error.errors.map(({field, message}) => `${flagOfField(field, command)} ${message}`);
		return {message: `${problems.join('; ')}.`};
	}

	return explainPlace(error, line);
}

/** Hint that depends on the variables and folders in use. */
export function explainPlace(error: unknown, {env, paths}: Pick<FailedLine, 'env' | 'paths'>): Explained {
	if (error instanceof UnreachableError && error.url === env['TINBOX_URL'] && !isUntrusted(error)) {
		return {
			hint: 'TINBOX_URL is set to this address, so the local daemon is not used or started. Start a daemon at this address, or unset TINBOX_URL.',
		};
	}

	return isAccessDenied(error, paths) ? {hint: 'Set TINBOX_HOME to a folder that you can write to.'} : {};
}

/** Command of a line, and the words that select it. */
function findCommand({program, args}: FailedLine): {readonly command: Command; readonly words: readonly string[]} {
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

/** Explains a usage error: suggests a command or flag, or refers to the help. */
function explainUsage({code, message}: CommanderError, line: FailedLine): Explained {
	if (code === 'commander.excessArguments' && line.args.includes('--json=')) {
		return {hint: 'Put the fields after an equals sign: --json=id'};
	}

	const {command, words} = findCommand(line);
	if (code === 'commander.excessArguments' && line.args.at(-1)?.includes('@') && hasFlag(command, '--address')) {
		return {hint: `Did you mean "tinbox ${words.join(' ')} --address <address>"?`};
	}

	const group = words.join(' ');
	const [, word = ''] = /^error: unknown (?:command|option) '([^'=]+)/.exec(message) ?? [];
	const call = ['tinbox', ...words].join(' ');
	const meant = suggestLine(group, word, command);
	return meant === undefined
		? {hint: `See: ${call} --help`}
		: {
				message: `Unknown ${word.startsWith('-') ? 'option' : 'command'} "${word}" for "${call}".`,
				hint: `Did you mean "tinbox ${meant}"?`,
			};
}

function hasFlag(command: Command, flag: string): boolean {
	return command.options.some(({long}) => long === flag);
}

/** Flags of API fields with a different name. */
const flagNames: Readonly<Record<string, string>> = {
	email_address: 'address',
	team_id: 'team',
	q: 'subject',
	delay_ms: 'delay',
	byte_delay_ms: 'byte-delay',
	recipients: 'recipient',
	'bounce.delay_ms': 'bounce-after',
};

/** Flag or argument of an API field, else the quoted field name. */
function flagOfField(field: string, command: Command): string {
	const [list = field] = field.replace(/^match\./, '').split('.');
	const name = flagNames[field] ?? flagNames[list] ?? list.replaceAll('_', '-');
	const argument = command.registeredArguments.find(declared => declared.name() === name);
	return hasFlag(command, `--${name}`) ? `--${name}` : argument ? `<${name}>` : `"${field}"`;
}

const accessErrors: ReadonlyArray<string | undefined> = ['EACCES', 'EPERM', 'EROFS'];

/** Checks whether access to a folder of tinbox was denied. */
function isAccessDenied(error: unknown, paths: Context['paths']): boolean {
	if (!(error instanceof Error && 'path' in error && accessErrors.includes(errorCode(error)))) {
		return false;
	}

	const place = String(error.path);
	const own = [path.dirname(paths.settingsFile), path.dirname(paths.stateFile), paths.dataDir];
	return own.some(folder => isWithin(folder, place) || isWithin(place, folder));
}

function isWithin(inner: string, outer: string): boolean {
	return inner === outer || inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
}
