import {Text} from 'ink';
import type {ReactNode} from 'react';
import {fitTo} from '../../../lib/columns.js';
import {markMatches} from '../../core/filter.js';

/** One column of a row: text from anywhere, cut or padded to its width. */
export type Cell = {
	readonly text: string;
	readonly width: number;
	readonly color?: string;
	readonly dim?: boolean;
	readonly bold?: boolean;
};

/** The selected row of a list; `here` when its pane has the focus. */
export type Selected = 'here' | 'elsewhere' | undefined;

/** The first column of a row that can be selected, which shows that it is where nothing else does. */
export function gutter(selected: Selected): Cell {
	return {text: selected === undefined ? ' ' : '>', width: 1};
}

type RowProps = {
	readonly cells: readonly Cell[];
	readonly selected?: Selected;
	/** What the filter matches is underlined. */
	readonly filter?: string;
};

/** One line of cells, as wide as their widths say, whatever their text holds. */
export function Row({cells, selected, filter = ''}: RowProps): ReactNode {
	return (
		<Text inverse={selected === 'here'} bold={selected === 'elsewhere'} wrap="truncate">
			{cells.map(({text, width, color, dim = false, bold = false}, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: cells keep their places
				<Text key={index} {...(color && selected !== 'here' && {color})} dimColor={dim && !selected} bold={bold}>
					<Marked text={fitTo(text, width)} filter={filter} />
				</Text>
			))}
		</Text>
	);
}

function Marked({text, filter}: {readonly text: string; readonly filter: string}): ReactNode {
	return markMatches(text, filter).map((stretch, index) =>
		stretch.marked ? (
			// biome-ignore lint/suspicious/noArrayIndexKey: stretches of one text have no other name
			<Text key={index} underline bold color="yellow">
				{stretch.text}
			</Text>
		) : (
			stretch.text
		),
	);
}
