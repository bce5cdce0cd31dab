import {sanitizeLine} from '../../lib/text/sanitize.js';
import {ago} from '../../lib/text/units.js';
import type {Context} from '../context.js';

export type TableColumn<T> = {
	readonly header: string;
	/** For programs: uncut, and times in ISO 8601. */
	value(row: T): string;
	/** For people, where that differs. */
	show?(row: T, now: Date): string;
	/** Cut first when the terminal is narrow. */
	readonly flexible?: boolean;
	/** Left out when the terminal is too narrow for all. */
	readonly optional?: boolean;
};

/** A column of times; for people how long ago each was, and `never` where there is none. */
export function timeColumn<T>(header: string, timeOf: (row: T) => string | null, never = ''): TableColumn<T> {
	const show = (time: string | null, now: Date) => (time === null ? never : ago(time, now));
	return {header, value: row => timeOf(row) ?? '', show: (row, now) => show(timeOf(row), now)};
}

/** A column of times that are now, or nearly; for people the time of day where they are. */
export function clockColumn<T>(header: string, timeOf: (row: T) => string): TableColumn<T> {
	return {header, value: timeOf, show: row => new Date(timeOf(row)).toTimeString().slice(0, 8)};
}

type Needs = Pick<Context, 'io' | 'now'>;

const gap = '  ';
const defaultWidth = 80;
/** No column is cut to fewer characters. */
const minWidth = 8;

/** Prints rows: on a terminal fitted to its width, under headers; for programs tab-separated and uncut. */
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

/** One row on a line of its own, without headers. */
export function printRow<T>({io: {stdout}, now}: Needs, columns: readonly TableColumn<T>[], row: T): void {
	const cells = columns.map(({value, show = value}) => sanitizeLine((stdout.isTTY ? show : value)(row, now())));
	stdout.write(`${stdout.isTTY ? cells.join(gap).trimEnd() : cells.join('\t')}\n`);
}

/** The widths of columns in a line that fits, if it can; 0 for those that are left out. */
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
