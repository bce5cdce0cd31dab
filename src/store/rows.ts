/** One page of rows, and how many rows there are in all. */
export type Rows<Row> = {readonly rows: readonly Row[]; readonly total: number};
