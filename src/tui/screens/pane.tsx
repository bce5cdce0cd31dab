import {Box} from 'ink';
import type {ReactNode} from 'react';
import {Row} from './row.js';

export type PaneProps = {
	readonly title: string;
	/** Beside the title, at the right. */
	readonly note?: string;
	readonly width: number;
	readonly height: number;
	readonly focused: boolean;
	readonly children: ReactNode;
};

/** A title, and below it what the pane shows. */
export function Pane({title, note = '', width, height, focused, children}: PaneProps): ReactNode {
	const noteWidth = Math.min(note.length, Math.max(0, width - title.length - 3));
	return (
		<Box flexDirection="column" width={width} height={height}>
			<Row
				columns={[
					{
						text: `${focused ? '▌' : ' '}${title}`,
						width: width - noteWidth,
						bold: true,
						...(focused && {color: 'cyan'}),
					},
					{text: note, width: noteWidth, dim: true},
				]}
			/>
			{children}
		</Box>
	);
}
