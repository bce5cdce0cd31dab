import {Text} from 'ink';
import type {ReactNode} from 'react';
import {fitTo} from '../text/fit-to.js';
import {markMatches} from '../text/matches.js';

export type Column = {
	readonly text: string;
	readonly width: number;
	readonly color?: string;
	readonly dim?: boolean;
	readonly bold?: boolean;
};

export type RowProps = {
	readonly columns: readonly Column[];
	/** The selected row of a list; stronger when its pane has the focus. */
	readonly selected?: 'here' | 'elsewhere' | undefined;
	/** What the filter looks for is underlined. */
	readonly filter?: string;
};

/** One line of columns, each cut or padded to its width, whatever its text holds. */
export function Row({columns, selected, filter = ''}: RowProps): ReactNode {
	return (
		<Text inverse={selected === 'here'} bold={selected === 'elsewhere'} wrap="truncate">
			{columns.map(({text, width, color, dim = false, bold = false}, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
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
