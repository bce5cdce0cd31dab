import {Low} from 'lowdb';
import type {Files} from './files.js';
import {numbersIn} from './folder.js';
import {Layout} from './layout.js';
import {completed, inOutline} from './outline.js';
import {readSegment} from './segment.js';
import {type RowStream, SnapshotFile} from './snapshot.js';
import {type Change, type Put, type TableName, tableNames} from './state/change.js';
import {State} from './state/state.js';

/** Makes a snapshot out of the one before it (0: there is none) and the segments from there to `next`. */
export type FoldJob = {
	readonly dir: string;
	readonly base: number;
	readonly next: number;
	/** A snapshot that would be longer is given up, with an error. */
	readonly maxBytes: number;
};

/** Bytes of the snapshot that was made. */
export type Fold = (job: FoldJob, signal: AbortSignal) => Promise<number>;

/** Rows of one line in a snapshot: a line is read as a whole. */
const rowsPerChange = 100;

/**
 * Reads the base twice, so that its rows need not all be in memory: first in outline, which is enough to apply the
 * segments, then whole, to write what is left of them. What is damaged was reported at start; the rest is kept.
 */
export async function fold(files: Files, {dir, base, next, maxBytes}: FoldJob): Promise<number> {
	const layout = new Layout(dir);
	const state = new State();
	for await (const rows of await readSnapshot(files, layout, base)) {
		state.restore(inOutline(rows));
	}

	for (const number of await numbersIn(files, layout.journal)) {
		if (number >= base && number < next) {
			await readSegment(files, layout, number, (change, place) => state.apply(change, place));
		}
	}

	const file = new SnapshotFile(files, layout.snapshot(next), maxBytes);
	const whole = await readSnapshot(files, layout, base);
	await new Low<RowStream>(file, inChanges(rowsLeft(state, whole))).write();
	return file.bytes;
}

async function readSnapshot(files: Files, layout: Layout, number: number): Promise<RowStream> {
	if (number === 0) {
		return [];
	}

	const db = new Low<RowStream>(new SnapshotFile(files, layout.snapshot(number)), []);
	await db.read();
	return db.data;
}

/** Table by table: what is left of the base, in its order, then what is new. */
async function* rowsLeft(state: State, base: RowStream): AsyncGenerator<Put> {
	const tables: TableName[] = [...tableNames];
	let written = new Set<string>();
	for await (const rows of base) {
		for (const op of rows) {
			while (tables.length > 0 && tables[0] !== op[1]) {
				yield* newRows(state, tables.shift(), written);
				written = new Set();
			}

			const row = op[0] === 'put' ? rowLeft(state, op) : undefined;
			if (row) {
				written.add(row[2].id);
				yield row;
			}
		}
	}

	for (const table of tables) {
		yield* newRows(state, table, written);
		written = new Set();
	}
}

function rowLeft<T extends TableName>(state: State, [verb, table, whole]: Put<T>): Put<T> | undefined {
	const row = state.tables[table].get(whole.id);
	return row && [verb, table, completed(table, row, whole)];
}

function* newRows<T extends TableName>(
	state: State,
	table: T | undefined,
	written: ReadonlySet<string>,
): Generator<Put<T>> {
	for (const row of table ? state.tables[table].values() : []) {
		if (table && !written.has(row.id)) {
			yield ['put', table, row];
		}
	}
}

async function* inChanges(puts: AsyncIterable<Put>): AsyncGenerator<Change> {
	let change: Put[] = [];
	for await (const put of puts) {
		change.push(put);
		if (change.length === rowsPerChange) {
			yield change;
			change = [];
		}
	}

	yield change;
}
