import {type Command, InvalidArgumentError, Option} from 'commander';
import {durationWithin} from '../config/kinds.js';
import {wrapHelp} from './help-layout.js';

/** Value of `--json`: undefined without the flag, empty for the whole object. */
export type JsonFields = readonly string[] | undefined;

export type JsonFlag = {readonly json?: JsonFields};

export function jsonOption(known: readonly string[]): Option {
	return new Option('--json [fields]', 'print JSON, or only these comma-separated fields')
		.choices(known)
		.argParser(text => {
			const names = text.split(',').map(name => name.trim());
			const stranger = names.find(name => name !== '' && !known.includes(name));
			if (stranger !== undefined) {
				throw new InvalidArgumentError(`There is no field "${stranger}". The fields are: ${known.join(', ')}.`);
			}

			return names.filter(name => name !== '');
		});
}

/** Flag to print variables for `eval`. */
export type EnvFlag = {readonly format?: 'env'};

export function envOption(description: string): Option {
	return new Option('--format <format>', `${description}, for eval`).choices(['env']);
}

/** Option whose value `parse` reads. It returns undefined for an invalid value, which `problem` explains. */
export function parsedOption<T>(
	flags: string,
	description: string,
	parse: (text: string, previous: T | undefined) => T | undefined,
	problem: string,
): Option {
	return new Option(flags, description).argParser<T>((text, previous) => {
		const value = parse(text, previous);
		if (value === undefined) {
			throw new InvalidArgumentError(problem);
		}

		return value;
	});
}

/** Adds a value of a repeatable option to the previous ones. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
	return [...previous, value];
}

/** Limits in milliseconds (default maximum: ten years). */
type Bounds = {readonly minMs?: number; readonly maxMs?: number};

/** Limits of lifetimes. */
export const lifetime: Bounds = {minMs: 1000};

export function durationOption(flags: string, description: string, bounds: Bounds = {}): Option {
	const {expects, parse} = durationWithin(bounds);
	return parsedOption(flags, description, parse, `It must be ${expects}. A number without a unit means seconds.`);
}

export function countOption(flags: string, description: string, max = Number.POSITIVE_INFINITY): Option {
	const bound = max === Number.POSITIVE_INFINITY ? '' : ` and at most ${max}`;
	return parsedOption(
		flags,
		description,
		text => (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
		`It must be a whole number of at least 1${bound}.`,
	);
}

/** Adds the flags of a paginated list. */
export function addPageFlags(command: Command): Command {
	return command
		.addOption(countOption('--limit <number>', 'maximum number to show').default(20))
		.option('--all', 'show all');
}

export type PageFlags = {readonly limit: number; readonly all?: boolean};

/** Number of rows to print; `Infinity` for all. */
export function rowCount({limit, all}: PageFlags): number {
	return all ? Number.POSITIVE_INFINITY : limit;
}

/** Option with a folder. Rejects an empty value and a flag, which mean that the folder is missing. */
export function folderOption(flag: '--keep' | '--home', description: string): Option {
	return new Option(`${flag} <folder>`, description).argParser((text: string) => {
		if (text === '' || text.startsWith('-')) {
			throw new InvalidArgumentError(`Specify a folder, as in ${flag} mail.`);
		}

		if (flag === '--keep' && /^(?:\d+|all)$/.test(text)) {
			const count = `To set how many messages inboxes keep: TINBOX_KEEP=${text} tinbox run …`;
			throw new InvalidArgumentError(
				`Here, --keep names a folder. To use the folder "${text}", write ./${text}. ${count}`,
			);
		}

		return text;
	});
}

/** Repeatable option with the name of a preset fault. */
export function faultOption(description: string): Option {
	return new Option('--fault <preset>', description).argParser(collect);
}

/** Adds a note below the help of a command, wrapped by `wrapHelp`. */
export function addHelpNote(command: Command, text: string): Command {
	return command.addHelpText('after', ({error}) => {
		const {getOutHelpWidth, getErrHelpWidth} = command.configureOutput();
		return `\n${wrapHelp(text, error ? getErrHelpWidth?.() : getOutHelpWidth?.())}`;
	});
}

/** Adds examples at the top of the help of a command. */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
	return command.addHelpText('before', `Examples:\n${examples.map(line => `  ${line}\n`).join('')}`);
}

/** Rewrites a bare `--json` to `--json=`, so that it does not swallow the next argument. */
export function closeBareJson(args: readonly string[]): readonly string[] {
	const own = ownArguments(args).length;
	return args.map((arg, index) => (index < own && arg === '--json' ? '--json=' : arg));
}

/** Reverts `closeBareJson` in an error message. */
export function openBareJson(message: string): string {
	return message.replace("'--json='", "'--json'");
}

/** Checks whether arguments, rewritten by `closeBareJson`, select JSON output. */
export function wantsJson(args: readonly string[]): boolean {
	return ownArguments(args).some(arg => arg.startsWith('--json='));
}

/** Arguments that tinbox parses: none after `--`, `run` or `sendmail`. */
function ownArguments(args: readonly string[]): readonly string[] {
	const first = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '--profile');
	const end = ['run', 'sendmail'].includes(args[first] ?? '') ? first : args.indexOf('--');
	return end < 0 ? args : args.slice(0, end);
}

/** File formats of mail for export and import. */
export const fileFormats = ['eml', 'mbox', 'maildir'] as const;

export type FileFormat = (typeof fileFormats)[number];

/** Maximum size of a mail in a file or on stdin. */
export const maxMailBytes = 128 * 1024 * 1024;
