/** Rows of which one is selected, by its id, so that it stays selected wherever other rows come and go. */
export type List<Row extends {readonly id: string}> = {
	readonly rows: readonly Row[];
	readonly selected: string | undefined;
};

export const emptyList = {rows: [], selected: undefined} as const;

/** The place of the selected row; 0 when nothing is selected. */
export function selectedIndex<Row extends {readonly id: string}>({rows, selected}: List<Row>): number {
	// The newest row is the usual one, and lists are long.
	return rows[0]?.id === selected
		? 0
		: Math.max(
				0,
				rows.findIndex(({id}) => id === selected),
			);
}

export function selectedRow<Row extends {readonly id: string}>(list: List<Row>): Row | undefined {
	return list.rows[selectedIndex(list)];
}

/** Selects the row that is so many rows further, or the last one on that side. */
export function moveBy<Row extends {readonly id: string}>(list: List<Row>, rows: number): List<Row> {
	const index = Math.min(list.rows.length - 1, Math.max(0, selectedIndex(list) + rows));
	return {...list, selected: list.rows[index]?.id};
}

/**
 * Other rows in the same list. When the selected one is gone, the one that took its place is selected; while there are
 * none at all, it is remembered.
 */
export function withRows<Row extends {readonly id: string}>(list: List<Row>, rows: readonly Row[]): List<Row> {
	const stays = rows.length === 0 || rows.some(({id}) => id === list.selected);
	return {rows, selected: stays ? list.selected : rows[Math.min(selectedIndex(list), rows.length - 1)]?.id};
}

/** Puts a new row on top; one with a known id takes the place of the old one. */
export function withRow<Row extends {readonly id: string}>(list: List<Row>, row: Row): List<Row> {
	const known = list.rows.some(({id}) => id === row.id);
	return withRows(list, known ? list.rows.map(old => (old.id === row.id ? row : old)) : [row, ...list.rows]);
}

export function withoutRow<Row extends {readonly id: string}>(list: List<Row>, rowId: string): List<Row> {
	return withRows(
		list,
		list.rows.filter(({id}) => id !== rowId),
	);
}
