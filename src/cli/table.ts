import {sanitizeLine} from '../lib/sanitize.js';
import type {Io} from './context.js';

export type Column<T> = {
	readonly header: string;
	/** For programs: whole, and times in ISO 8601. */
	value(row: T): string;
	/** For people, where that differs. */
	show?(row: T): string;
	/** Cut first when the terminal is narrow. */
	readonly flexible?: boolean;
};

const gap = '  ';
const defaultWidth = 80;
const narrowest = 8;

/** Rows on stdout: fitted to the terminal under a line of headers, or tab-separated and whole for programs. */
export async function printTable<T>({stdout}: Io, columns: readonly Column<T>[], rows: readonly T[]): Promise<void> {
	if (!stdout.isTTY) {
		for (const row of rows) {
			stdout.write(`${columns.map(column => sanitizeLine(column.value(row))).join('\t')}\n`);
		}

		return;
	}

	if (rows.length === 0) {
		return;
	}

	const {default: widthOf} = await import('string-width');
	const cells = [
		columns.map(column => column.header),
		...rows.map(row => columns.map(({value, show = value}) => sanitizeLine(show(row)))),
	];
	const natural = columns.map((_, index) => Math.max(...cells.map(line => widthOf(line[index] ?? ''))));
	const widths = fitted(natural, columns, stdout.columns || defaultWidth);
	for (const line of cells) {
		const fittedCells = line.map((cell, index) => fitCell(cell, widths[index] ?? 0, widthOf));
		stdout.write(`${fittedCells.join(gap).trimEnd()}\n`);
	}
}

/** One row on a line of its own, without headers. */
export function printRow<T>({stdout}: Io, columns: readonly Column<T>[], row: T): void {
	const cells = columns.map(({value, show = value}) => sanitizeLine((stdout.isTTY ? show : value)(row)));
	stdout.write(`${cells.join(stdout.isTTY ? gap : '\t')}\n`);
}

/** Takes what is too much from the widest flexible columns, one character after the other. */
function fitted(natural: readonly number[], columns: readonly Column<never>[], available: number): readonly number[] {
	const widths = [...natural];
	const total = () => widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
	const widest = () =>
		widths.reduce(
			(found, width, index) => (columns[index]?.flexible && width > (widths[found] ?? narrowest) ? index : found),
			-1,
		);
	for (let index = widest(); total() > available && index >= 0; index = widest()) {
		widths[index] = (widths[index] ?? 0) - 1;
	}

	return widths;
}

function fitCell(cell: string, width: number, widthOf: (text: string) => number): string {
	const missing = width - widthOf(cell);
	if (missing >= 0) {
		return cell + ' '.repeat(missing);
	}

	let kept = '';
	for (const {segment} of new Intl.Segmenter().segment(cell)) {
		if (widthOf(kept + segment) >= width) {
			break;
		}

		kept += segment;
	}

	return `${kept}…${' '.repeat(width - widthOf(kept) - 1)}`;
}
