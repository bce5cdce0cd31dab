import type {Command} from 'commander';
import type {Context} from '../context.js';
import {type JsonFlag, jsonOption} from '../options.js';
import {note, noteOnTerminal, printJson, printJsonList, printProperties} from '../output/print.js';
import {printTable, type TableColumn} from '../output/table.js';

type ListSpec<T, Flags> = {
	/** Those that `--json` can select. */
	readonly fields: readonly string[];
	readonly columns: readonly TableColumn<T>[];
	load(flags: Flags, operands: readonly string[]): Promise<Listing<T>>;
};

/** What a list command found. */
type Listing<T> = {
	readonly rows: readonly T[];
	/** The API's answer, for a `--json` that names no fields; the rows unless given. */
	readonly body?: object;
	/** Said on a terminal when there is none. */
	readonly none?: string;
	/** Said on a terminal when there are more. */
	readonly more?: string | false;
};

/** Makes a command print a list: a table, or under `--json` the API's answer or the chosen fields of each row. */
export function fillList<T extends object, Flags extends object = object>(
	command: Command,
	context: Context,
	{fields, columns, load}: ListSpec<T, Flags>,
): void {
	command.addOption(jsonOption(fields)).action(async () => {
		const flags = command.opts<Flags & JsonFlag>();
		const {rows, body = rows, none, more} = await load(flags, command.args);
		if (flags.json) {
			printJsonList(context.io, body, rows, flags.json);
			return;
		}

		await printTable(context, columns, rows);
		const remark = rows.length === 0 ? none : more;
		if (remark) {
			noteOnTerminal(context.io, remark);
		}
	});
}

type ShowSpec<T> = {
	/** Those that `--json` can select. */
	readonly fields: readonly string[];
	find(name: string): Promise<T>;
	/** For people; by default a line for each property. */
	print?(body: T): void | Promise<void>;
};

/** Makes a command print one thing, which its argument may name: for people, or under `--json` as the API's object. */
export function fillShow<T extends object>(
	command: Command,
	{io}: Context,
	{fields, find, print = body => printProperties(io, body)}: ShowSpec<T>,
): void {
	command.addOption(jsonOption(fields)).action(async () => {
		const {json} = command.opts<JsonFlag>();
		const body = await find(command.args[0] ?? '');
		if (json) {
			printJson(io, body, json);
		} else {
			await print(body);
		}
	});
}

type DeleteSpec<Client, T> = {
	connect(): Promise<Client>;
	find(client: Client, name: string): Promise<T>;
	remove(client: Client, found: T): Promise<unknown>;
	/** What is said of each. */
	done(found: T): string;
};

/** Makes a command delete the things that its arguments name; all are found before the first is deleted. */
export function fillDelete<Client, T>(
	command: Command,
	{io}: Context,
	{connect, find, remove, done}: DeleteSpec<Client, T>,
): void {
	command.action(async () => {
		const client = await connect();
		const found = await Promise.all(command.args.map(name => find(client, name)));
		for (const one of found) {
			await remove(client, one);
			note(io, done(one));
		}
	});
}
