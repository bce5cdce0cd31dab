import type {ReactNode} from 'react';
import {displayable, wrap} from '../../lib/columns.js';
import {type RowList, selectedIndex, windowOf} from '../state/list.js';
import {Lines, Pane, type PanePlace} from './pane.js';
import {type Cell, Row} from './row.js';

type ListPaneProps<R extends {readonly id: string}> = {
	readonly title: string;
	readonly note: string;
	readonly place: PanePlace;
	readonly list: RowList<R>;
	readonly cellsOf: (row: R) => readonly Cell[];
	/** A sentence in place of an empty list. */
	readonly empty: string;
	readonly filter?: string;
};

/** A pane with a list, of which only the rows in view are made. */
export function ListPane<R extends {readonly id: string}>(props: ListPaneProps<R>): ReactNode {
	const {title, note, place, list, cellsOf, empty, filter = ''} = props;
	const selected = selectedIndex(list);
	const {start, end} = windowOf(list.rows.length, selected, place.height - 1);
	return (
		<Pane title={title} note={note} place={place}>
			{list.rows.length === 0 ? (
				<Lines lines={wrap(displayable(empty), place.width - 2)} width={place.width} dim />
			) : (
				list.rows
					.slice(start, end)
					.map((row, index) => (
						<Row
							key={row.id}
							cells={cellsOf(row)}
							selected={start + index === selected ? (place.focused ? 'here' : 'elsewhere') : undefined}
							filter={filter}
						/>
					))
			)}
		</Pane>
	);
}
