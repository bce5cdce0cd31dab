import {type Command, InvalidArgumentError, Option} from 'commander';
import {parseDuration} from '../lib/duration.js';

/** The members of an object of the API that `--json` can select: all of them, or the compiler complains. */
export type FieldsOf<T> = Readonly<Record<keyof T & string, true>>;

/** As the option holds it: no names is the whole object. */
export type JsonFields = readonly string[] | undefined;

export function jsonOption(fields: Readonly<Record<string, true>>): Option {
	const known = Object.keys(fields);
	return new Option('--json [fields]', 'print JSON, whole or only these fields, separated by commas')
		.choices(known)
		.argParser(text =>
			text
				.split(',')
				.map(name => name.trim())
				.filter(name => name !== '')
				.map(name => member(name, known)),
		);
}

export function durationOption(flags: string, description: string): Option {
	return new Option(flags, description).argParser(text => {
		const ms = parseDuration(text);
		if (ms === undefined) {
			throw new InvalidArgumentError('Write it as 30, 30s, 2m or 500ms; a bare number counts seconds.');
		}

		return ms;
	});
}

export function countOption(flags: string, description: string, max = Number.POSITIVE_INFINITY): Option {
	return new Option(flags, description).argParser(text => {
		if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > max) {
			const most = max === Number.POSITIVE_INFINITY ? '' : ` and at most ${max}`;
			throw new InvalidArgumentError(`It must be a whole number of at least 1${most}.`);
		}

		return Number(text);
	});
}

/** Gives a list command the flags that all lists have. */
export function addListFlags(command: Command, fields: Readonly<Record<string, true>>): Command {
	return command
		.addOption(countOption('--limit <number>', 'show at most this many').default(20))
		.option('--all', 'show all of them')
		.addOption(jsonOption(fields));
}

/** Flags of every list. */
export type ListFlags = {readonly limit: number; readonly all?: boolean; readonly json?: JsonFields};

export function rowCount({limit, all}: ListFlags): number {
	return all ? Number.POSITIVE_INFINITY : limit;
}

function member(name: string, known: readonly string[]): string {
	if (!known.includes(name)) {
		throw new InvalidArgumentError(`There is no field "${name}". The fields are: ${known.join(', ')}.`);
	}

	return name;
}
