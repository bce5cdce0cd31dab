import {sanitizeLine} from '../../lib/text/sanitize.js';
import {ago} from '../../lib/text/units.js';
import type {Context} from '../context.js';
import type {JsonFields} from '../options.js';
import {printJson, printJsonLine} from './print.js';

export type TableColumn<T> = {
	readonly header: string;
	/** Value for programs: not truncated, times in ISO 8601. */
	value(row: T): string;
	/** Value for people (default: `value`). */
	show?(row: T, now: Date): string;
	/** Truncated on a narrow terminal. */
	readonly flexible?: boolean;
	/** Omitted on a narrow terminal. */
	readonly optional?: boolean;
};

/** Column of times, shown to people as elapsed time; `never` replaces null. */
export function timeColumn<T>(header: string, timeOf: (row: T) => string | null, never = ''): TableColumn<T> {
	const show = (time: string | null, now: Date) => (time === null ? never : ago(time, now));
	return {header, value: row => timeOf(row) ?? '', show: (row, now) => show(timeOf(row), now)};
}

/** Column of recent times, shown to people as local time of day. */
export function clockColumn<T>(header: string, timeOf: (row: T) => string): TableColumn<T> {
	return {header, value: timeOf, show: row => new Date(timeOf(row)).toTimeString().slice(0, 8)};
}

type Needs = Pick<Context, 'io' | 'now'>;

const gap = '  ';
const defaultWidth = 80;
/** Minimum width of a truncated column. */
const minWidth = 8;

/** Prints rows: on a terminal with headers and fitted to its width, else tab-separated and not truncated. */
export async function printTable<T>(
	{io: {stdout}, now}: Needs,
	columns: readonly TableColumn<T>[],
	rows: readonly T[],
): Promise<void> {
	if (!stdout.isTTY) {
		for (const row of rows) {
			stdout.write(`${columns.map(column => sanitizeLine(column.value(row))).join('\t')}\n`);
		}

		return;
	}

	if (rows.length === 0) {
		return;
	}

	const {fitTo, widthOf} = await import('../../lib/text/columns.js');
	const at = now();
	const cells = [
		columns.map(column => column.header),
		...rows.map(row => columns.map(({value, show = value}) => show(row, at))),
	];
	const natural = columns.map((_, index) => Math.max(...cells.map(line => widthOf(line[index] ?? ''))));
	const widths = fitted(natural, columns, stdout.columns || defaultWidth);
	for (const line of cells) {
		const fittedCells = line.flatMap((cell, index) => (widths[index] ? [fitTo(cell, widths[index])] : []));
		stdout.write(`${fittedCells.join(gap).trimEnd()}\n`);
	}
}

/** Prints one row without headers. */
export function printRow<T>({io: {stdout}, now}: Needs, columns: readonly TableColumn<T>[], row: T): void {
	const cells = columns.map(({value, show = value}) => sanitizeLine((stdout.isTTY ? show : value)(row, now())));
	stdout.write(`${stdout.isTTY ? cells.join(gap).trimEnd() : cells.join('\t')}\n`);
}

/** Prints the next row of a stream: with `--json` as one line of JSON, else like `printRow`. */
export function printNext<T extends object>(
	context: Needs,
	columns: readonly TableColumn<T>[],
	row: T,
	json: JsonFields,
): void {
	if (json) {
		printJsonLine(context.io, row, json);
	} else {
		printRow(context, columns, row);
	}
}

/** Prints the result of a wait: a single row with `--json` as an object, others like a stream. */
export function printFound<T extends object>(
	context: Needs,
	columns: readonly TableColumn<T>[],
	rows: readonly T[],
	json: JsonFields,
): void {
	for (const row of rows) {
		if (json && rows.length === 1) {
			printJson(context.io, row, json);
		} else {
			printNext(context, columns, row, json);
		}
	}
}

/** Column widths that fit the available width if possible; 0 for omitted columns. */
function fitted(
	natural: readonly number[],
	columns: readonly TableColumn<never>[],
	available: number,
): readonly number[] {
	const widths = narrowed(natural, columns, available);
	const needed = natural.map((width, index) => (columns[index]?.optional ? 0 : width));
	return lengthOf(widths) <= available ? widths : narrowed(needed, columns, available);
}

/** Narrows the widest flexible columns, one character at a time, until the line fits. */
function narrowed(
	natural: readonly number[],
	columns: readonly TableColumn<never>[],
	available: number,
): readonly number[] {
	const widths = [...natural];
	const widest = () =>
		widths.reduce(
			(found, width, index) => (columns[index]?.flexible && width > (widths[found] ?? minWidth) ? index : found),
			-1,
		);
	for (let index = widest(); lengthOf(widths) > available && index >= 0; index = widest()) {
		widths[index] = (widths[index] ?? 0) - 1;
	}

	return widths;
}

function lengthOf(widths: readonly number[]): number {
	const shown = widths.filter(width => width > 0);
	return shown.reduce((sum, width) => sum + width, gap.length * (shown.length - 1));
}
