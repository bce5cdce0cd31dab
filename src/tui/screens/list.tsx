import {Box} from 'ink';
import type {ReactNode} from 'react';
import {type List as Rows, selectedIndex} from '../state/list.js';
import {windowOf} from '../state/window.js';
import {type Column, Row} from './row.js';

export type ListProps<Item extends {readonly id: string}> = {
	readonly list: Rows<Item>;
	readonly height: number;
	readonly focused: boolean;
	readonly columnsOf: (item: Item) => readonly Column[];
	readonly filter?: string;
};

/** The rows of a long list that are in view; no others are made. */
export function List<Item extends {readonly id: string}>(props: ListProps<Item>): ReactNode {
	const {list, height, focused, columnsOf, filter = ''} = props;
	const selected = selectedIndex(list);
	const {start, end} = windowOf(list.rows.length, selected, height);
	return (
		<Box flexDirection="column">
			{list.rows.slice(start, end).map((item, index) => (
				<Row
					key={item.id}
					columns={columnsOf(item)}
					selected={start + index === selected ? (focused ? 'here' : 'elsewhere') : undefined}
					filter={filter}
				/>
			))}
		</Box>
	);
}
