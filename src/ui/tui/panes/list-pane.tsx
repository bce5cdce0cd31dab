import type {ReactNode} from 'react';
import {displayable, wrap} from '../../../lib/columns.js';
import {type RowList, selectedIndex, windowOf} from '../../core/list.js';
import {Lines, Pane, type PanePlace} from './pane.js';
import {type Cell, gutter, Row, type Selected} from './row.js';

type ListPaneProps<R extends {readonly id: string}> = {
	readonly title: string;
	readonly note: string;
	readonly place: PanePlace;
	readonly list: RowList<R>;
	/** What a row shows beside the gutter. */
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
	const selectedAt = (index: number): Selected =>
		index === selected ? (place.focused ? 'here' : 'elsewhere') : undefined;
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
							cells={[gutter(selectedAt(start + index)), ...cellsOf(row)]}
							selected={selectedAt(start + index)}
							filter={filter}
						/>
					))
			)}
		</Pane>
	);
}
