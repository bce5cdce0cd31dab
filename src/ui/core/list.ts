type Row = {readonly id: string};

/** Rows of which one is selected, by its id, so that it stays selected wherever other rows come and go. */
export type RowList<R extends Row> = {readonly rows: readonly R[]; readonly selected: string | undefined};

export const emptyList = {rows: [], selected: undefined} as const;

/** The index of the selected row; 0 when nothing is selected. */
export function selectedIndex<R extends Row>({rows, selected}: RowList<R>): number {
	// Mostly the newest row is selected, and lists are long.
	const index = rows[0]?.id === selected ? 0 : rows.findIndex(({id}) => id === selected);
	return Math.max(0, index);
}

export function selectedRow<R extends Row>(list: RowList<R>): R | undefined {
	return list.rows[selectedIndex(list)];
}

/** Selects the row that is `rows` further down, or the last one on that side. */
export function moveBy<R extends Row>(list: RowList<R>, rows: number): RowList<R> {
	const index = Math.min(list.rows.length - 1, Math.max(0, selectedIndex(list) + rows));
	return {...list, selected: list.rows[index]?.id};
}

/**
 * Other rows in the same list. When the selected one is gone, the one in its place is selected; an empty list remembers
 * the selection.
 */
export function withRows<R extends Row>(list: RowList<R>, rows: readonly R[]): RowList<R> {
	const stays = rows.length === 0 || rows.some(({id}) => id === list.selected);
	return {rows, selected: stays ? list.selected : rows[Math.min(selectedIndex(list), rows.length - 1)]?.id};
}

/** The rows of a long list that are in view: the selected one in the middle, as far as both ends allow. */
export function windowOf(count: number, selected: number, height: number): {start: number; end: number} {
	const start = Math.max(0, Math.min(selected - Math.floor(height / 2), count - height));
	return {start, end: Math.min(count, start + height)};
}
