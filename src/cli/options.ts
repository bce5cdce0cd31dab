import {type Command, InvalidArgumentError, Option} from 'commander';
import {durationWithin} from '../config/kinds.js';

/** Value of `--json`: undefined when it is not given, empty for the whole object. */
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

/** How a command prints what other programs take from their environment. */
export type EnvFlag = {readonly format?: 'env'};

export function envOption(description: string): Option {
	return new Option('--format <format>', `${description}, for eval`).choices(['env']);
}

/** Milliseconds; of at most ten years unless given. */
type Bounds = {readonly minMs?: number; readonly maxMs?: number};

/** How long something can live. */
export const lifetime: Bounds = {minMs: 1000};

export function durationOption(flags: string, description: string, bounds: Bounds = {}): Option {
	const {expects, parse} = durationWithin(bounds);
	return new Option(flags, description).argParser(text => {
		const ms = parse(text);
		if (ms === undefined) {
			throw new InvalidArgumentError(`It must be ${expects}. A number without a unit means seconds.`);
		}

		return ms;
	});
}

export function countOption(flags: string, description: string, max = Number.POSITIVE_INFINITY): Option {
	return new Option(flags, description).argParser(text => {
		if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max) {
			const bound = max === Number.POSITIVE_INFINITY ? '' : ` and at most ${max}`;
			throw new InvalidArgumentError(`It must be a whole number of at least 1${bound}.`);
		}

		return Number(text);
	});
}

/** Gives a command that lists the flags of a list that comes in pages. */
export function addPageFlags(command: Command): Command {
	return command
		.addOption(countOption('--limit <number>', 'maximum number to show').default(20))
		.option('--all', 'show all');
}

export type PageFlags = {readonly limit: number; readonly all?: boolean};

/** How many rows they ask for; `Infinity` is all. */
export function rowCount({limit, all}: PageFlags): number {
	return all ? Number.POSITIVE_INFINITY : limit;
}

/** An option that takes a folder. An empty value or the next flag means that the folder was left out. */
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

/** Takes names of presets, one each time it is given. */
export function faultOption(description: string): Option {
	return new Option('--fault <preset>', description).argParser((name: string, others: readonly string[] = []) => [
		...others,
		name,
	]);
}

/** Puts examples at the top of a command's help. */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
	return command.addHelpText('before', `Examples:\n${examples.map(line => `  ${line}\n`).join('')}`);
}

/** Rewrites a bare `--json` to `--json=`, so that it does not swallow the next argument. */
export function closeBareJson(args: readonly string[]): readonly string[] {
	const own = ownArguments(args).length;
	return args.map((arg, index) => (index < own && arg === '--json' ? '--json=' : arg));
}

/** Undoes this in a message, to show the flag as it was typed. */
export function openBareJson(message: string): string {
	return message.replace("'--json='", "'--json'");
}

/** Whether rewritten arguments ask for JSON output. */
export function wantsJson(args: readonly string[]): boolean {
	return ownArguments(args).some(arg => arg.startsWith('--json='));
}

/** The arguments of tinbox itself: after `--`, and after the command `run`, comes the user's own command; those of `sendmail` are not ours. */
function ownArguments(args: readonly string[]): readonly string[] {
	const first = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '--profile');
	const end = ['run', 'sendmail'].includes(args[first] ?? '') ? first : args.indexOf('--');
	return end < 0 ? args : args.slice(0, end);
}
