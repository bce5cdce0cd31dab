import {Text} from 'ink';
import type {ReactNode} from 'react';
import {fitTo} from '../../lib/columns.js';
import {markMatches} from '../state/filter.js';

/** One column of a row: text from anywhere, cut or padded to its width. */
export type Cell = {
	readonly text: string;
	readonly width: number;
	readonly color?: string;
	readonly dim?: boolean;
	readonly bold?: boolean;
};

type RowProps = {
	readonly cells: readonly Cell[];
	/** The selected row of a list; stronger when its pane has the focus. */
	readonly selected?: 'here' | 'elsewhere' | undefined;
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
