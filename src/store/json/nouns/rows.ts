import type {Table} from '../state/table.js';

/** The rows with these ids, in the same order. */
export function rowsOf<Row extends {readonly id: string}>(table: Table<Row>, ids: Iterable<string>): Row[] {
	return [...ids].map(id => table.get(id)).filter(row => row !== undefined);
}

type Created = {readonly id: string; readonly createdAt: string};

/** Puts the youngest first; ids decide between rows of the same moment. */
export function byAge(a: Created, b: Created): number {
	if (a.createdAt === b.createdAt) {
		return a.id < b.id ? 1 : -1;
	}

	return a.createdAt < b.createdAt ? 1 : -1;
}
