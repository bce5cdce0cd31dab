import type {Command} from 'commander';
import {takeRows} from '../../client/pages.js';
import type {Page} from '../../contract/constants.js';
import type {Context} from '../context.js';
import {type JsonFlag, jsonOption, type PageFlags, rowCount} from '../options.js';
import {note, noteOnTerminal, printJsonList, printJsonOr, printProperties} from '../output/print.js';
import {printTable, type TableColumn} from '../output/table.js';

type ListSpec<T, Flags> = {
	/** Fields that `--json` can select. */
	readonly fields: readonly string[];
	readonly columns: readonly TableColumn<T>[];
	load(flags: Flags, operands: readonly string[]): Promise<Listing<T>>;
};

/** Result of a list command. */
type Listing<T> = {
	readonly rows: readonly T[];
	/** API response for `--json` without fields (default: the rows). */
	readonly body?: object;
	/** Note on a terminal if the list is empty. */
	readonly none?: string;
	/** Note on a terminal if there are more rows. */
	readonly more?: string | false;
};

/** Makes a command print a list: as a table or, with `--json`, the API response or the selected fields of each row. */
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

/** Reads the rows that the flags select. `limit` is the page size to report, `hasMore` true if there are more rows. */
export async function readPages<T>(
	flags: PageFlags,
	fetchPage: (page: Page) => Promise<{readonly rows: readonly T[]; readonly total: number}>,
) {
	let total = 0;
	const rows = await takeRows(async page => {
		const found = await fetchPage(page);
		total = found.total;
		return found.rows;
	}, rowCount(flags));
	return {rows, total, limit: flags.all ? rows.length : flags.limit, hasMore: rows.length < total};
}

type ShowSpec<T> = {
	/** Fields that `--json` can select. */
	readonly fields: readonly string[];
	find(name: string): Promise<T>;
	/** Prints for people (default: one line for each property). */
	print?(body: T): void | Promise<void>;
};

/** Makes a command print one object, found by its argument: for people or, with `--json`, the object of the API. */
export function fillShow<T extends object>(
	command: Command,
	{io}: Context,
	{fields, find, print = body => printProperties(io, body)}: ShowSpec<T>,
): void {
	command.addOption(jsonOption(fields)).action(async () => {
		const {json} = command.opts<JsonFlag>();
		const body = await find(command.args[0] ?? '');
		await printJsonOr(io, body, json, () => print(body));
	});
}

type DeleteSpec<Client, T> = {
	connect(): Promise<Client>;
	find(client: Client, name: string): Promise<T>;
	remove(client: Client, found: T): Promise<unknown>;
	/** Note after each deletion. */
	done(found: T): string;
};

/** Makes a command delete the objects named by its arguments. All are looked up before the first is deleted. */
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
