/** Indexes of rows; `end` is exclusive. */
export type RowRange = {readonly start: number; readonly end: number};

type Row = {readonly id: string};

/** Rows with a selection by id, which stays the same when other rows are added or removed. */
export type RowList<R extends Row> = {readonly rows: readonly R[]; readonly selected: string | undefined};

export const emptyList = {rows: [], selected: undefined} as const;

/** Index of the selected row; 0 without a selection. */
export function selectedIndex<R extends Row>({rows, selected}: RowList<R>): number {
	// Mostly the first row of a long list is selected.
	const index = rows[0]?.id === selected ? 0 : rows.findIndex(({id}) => id === selected);
	return Math.max(0, index);
}

export function selectedRow<R extends Row>(list: RowList<R>): R | undefined {
	return list.rows[selectedIndex(list)];
}

/** Moves the selection by a number of rows, at most to the end of the list. */
export function moveBy<R extends Row>(list: RowList<R>, rows: number): RowList<R> {
	const index = Math.min(list.rows.length - 1, Math.max(0, selectedIndex(list) + rows));
	return {...list, selected: list.rows[index]?.id};
}

/** Replaces the rows. If the selected row is missing, selects the one in its place. An empty list keeps the selection. */
export function withRows<R extends Row>(list: RowList<R>, rows: readonly R[]): RowList<R> {
	const stays = rows.length === 0 || rows.some(({id}) => id === list.selected);
	return {rows, selected: stays ? list.selected : rows[Math.min(selectedIndex(list), rows.length - 1)]?.id};
}

/** Rows to show of a long list: the selected row in the middle, as far as both ends allow. */
export function windowOf(count: number, selected: number, height: number): RowRange {
	const start = Math.max(0, Math.min(selected - Math.floor(height / 2), count - height));
	return {start, end: Math.min(count, start + height)};
}

/** Rows in view of a box in pixels. */
export function rowsInView(scrollTop: number, height: number, rowHeight: number): RowRange {
	return {start: Math.floor(scrollTop / rowHeight), end: Math.ceil((scrollTop + height) / rowHeight)};
}

/** Scroll position nearest to the current one at which a row is in view. */
export function scrollTopFor(index: number, rowHeight: number, scrollTop: number, height: number): number {
	const start = index * rowHeight;
	return Math.min(start, Math.max(start + rowHeight - height, scrollTop));
}

type PlacedRows = {readonly rows: readonly Row[]; readonly top: number};

/** Number of rows by which the row at index `first`, or the next one that still exists, has moved down. */
export function shiftOf(before: PlacedRows, after: PlacedRows, first: number): number {
	const places = new Map(after.rows.map(({id}, index) => [id, after.top + index]));
	for (let index = Math.max(0, first - before.top); index < before.rows.length; index++) {
		const place = places.get(before.rows[index]?.id ?? '');
		if (place !== undefined) {
			return place - before.top - index;
		}
	}

	return 0;
}

/** Requests that the list of a screen is read again. */
export function withStaleList<Panes extends {readonly listRevision: number}>(panes: Panes): Panes {
	return {...panes, listRevision: panes.listRevision + 1};
}
