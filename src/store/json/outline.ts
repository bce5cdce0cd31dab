import type {Change, Put, Rows, TableName} from './state/change.js';

type Outline<Row> = {
	/** The row without what is large and matters to no rule of the state. */
	reduce(row: Row): Row;
	/** What became of a row that was reduced, given the whole of what it was. */
	complete(row: Row, whole: Row): Row;
};

/** Stands for a place that was left out. That a source still has it shows that it was not moved. */
const noPlace = {segment: 0, offset: 0, length: 0};
const noResponse = '…';
const noEnvelope = {from: '', to: []};

/** The tables with many or large rows. */
const outlines: {readonly [T in TableName]?: Outline<Rows[T]>} = {
	sources: {
		reduce: row => ({...row, place: noPlace}),
		complete: (row, whole) => (row.place === noPlace ? whole : row),
	},
	messages: {
		reduce: row => ({...row, envelope: noEnvelope, to: '', receivedAt: '', summary: null}),
		complete: ({summary}, whole) => (summary === null ? whole : {...whole, summary}),
	},
	deliveries: {
		reduce: row => ({...row, body: null, responseBody: row.responseBody && noResponse, createdAt: ''}),
		complete: (row, whole) =>
			row.createdAt === '' ? {...whole, responseBody: row.responseBody && whole.responseBody} : row,
	},
};

/** The rows in outline: enough to find out what changes make of them. */
export function inOutline(rows: Change): Change {
	return rows.map(op => (op[0] === 'put' ? reduce(op) : op));
}

function reduce<T extends TableName>([verb, table, row]: Put<T>): Put<T> {
	return [verb, table, outlines[table]?.reduce(row) ?? row];
}

/** What became of a row that was taken in outline, given the whole of what it was. */
export function completed<T extends TableName>(table: T, row: Rows[T], whole: Rows[T]): Rows[T] {
	return outlines[table]?.complete(row, whole) ?? row;
}
