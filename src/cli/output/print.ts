import {safeJson, sanitizeLine, shellQuote} from '../../lib/text/sanitize.js';
import type {Io} from '../context.js';
import type {JsonFields} from '../options.js';

/** Prints a line for people on stderr. */
export function note({stderr}: Io, text: string): void {
	stderr.write(`${sanitizeLine(text)}\n`);
}

/** Prints a line on stderr if stdout is a terminal. */
export function noteOnTerminal(io: Io, text: string): void {
	if (io.stdout.isTTY) {
		note(io, text);
	}
}

/** Prints a line of data on stdout. */
export function printLine({stdout}: Io, text: string): void {
	stdout.write(`${sanitizeLine(text)}\n`);
}

/** Prints an object, or its selected fields, as JSON; indented on a terminal. */
export function printJson({stdout}: Io, body: object, fields: readonly string[] = []): void {
	stdout.write(`${safeJson(pick(body, fields), stdout.isTTY ? 2 : undefined)}\n`);
}

/** Prints an object, or its selected fields, as one line of JSON. */
export function printJsonLine({stdout}: Io, body: object, fields: readonly string[]): void {
	stdout.write(`${safeJson(pick(body, fields))}\n`);
}

/** Prints the API response of a list or, with fields, an array of rows with these fields. */
export function printJsonList(io: Io, body: object, rows: readonly object[], fields: readonly string[]): void {
	printJson(io, fields.length === 0 ? body : rows.map(row => pick(row, fields)));
}

/** Prints the object with `--json`, else calls `print`. */
export function printJsonOr<T>(io: Io, body: object, json: JsonFields, print: () => T): T | undefined {
	if (!json) {
		return print();
	}

	printJson(io, body, json);
	return undefined;
}

/** Prints the object with `--json`, else the line, and the remark on stderr. */
export function printResult(io: Io, body: object, line: string, json: JsonFields, remark?: string): void {
	printJsonOr(io, body, json, () => {
		printLine(io, line);
		if (remark !== undefined) {
			note(io, remark);
		}
	});
}

/** Prints the name and value of each property on a line. */
export function printProperties({stdout}: Io, properties: object): void {
	for (const [name, value] of Object.entries(properties)) {
		const text = sanitizeLine(propertyText(value));
		stdout.write(stdout.isTTY ? `${name.padEnd(14)}  ${text}\n` : `${name}\t${text}\n`);
	}
}

function propertyText(value: unknown): string {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? JSON.stringify(value)
		: String(value ?? '');
}

/** Prints variables for `eval` in a shell. */
export function printExports({stdout}: Io, variables: Readonly<Record<string, string>>): void {
	for (const [name, value] of Object.entries(variables)) {
		stdout.write(`export ${name}=${shellQuote(value)}\n`);
	}
}

function pick(body: object, fields: readonly string[]): object {
	return fields.length === 0
		? body
		: Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
}
