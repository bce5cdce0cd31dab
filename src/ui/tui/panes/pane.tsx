import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {WatchState} from '../state/state.js';
import {gutter, Row} from './row.js';

/** The size of a pane, and whether it gets the keys. */
export type PanePlace = {readonly width: number; readonly height: number; readonly focused: boolean};

export type StateProps = {readonly state: WatchState};

/** What every pane is made of. */
export type PaneProps = StateProps & {readonly place: PanePlace};

type FrameProps = {
	readonly title: string;
	/** At the right of the title. */
	readonly note?: string;
	readonly place: PanePlace;
	readonly children?: ReactNode;
};

/** A title is not cut further for the note beside it. */
export const minTitleWidth = 12;

/** A title, and below it what the pane shows. */
export function Pane({title, note = '', place: {width, height, focused}, children}: FrameProps): ReactNode {
	const noteWidth = Math.min(note.length, Math.max(0, width - minTitleWidth - 1));
	const mark = focused ? '▌' : ' ';
	return (
		<Box flexDirection="column" width={width} height={height}>
			<Row
				cells={[
					{text: mark + title, width: width - noteWidth - 1, bold: true, ...(focused && {color: 'cyan'})},
					{text: ` ${note}`, width: noteWidth + 1, dim: true},
				]}
			/>
			{children}
		</Box>
	);
}

type LinesProps = {
	readonly lines: readonly string[];
	readonly width: number;
	/** The index of the selected line, if one is. */
	readonly selected?: number | undefined;
	readonly dim?: boolean;
	/** What is to be found in them is underlined. */
	readonly filter?: string;
};

/** Lines of a text, one column from the border. */
export function Lines({lines, width, selected, dim = false, filter = ''}: LinesProps): ReactNode {
	return lines.map((text, index) => {
		const mark = index === selected ? 'here' : undefined;
		const cells = [gutter(mark), {text, width: width - 1, dim}];
		// biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
		return <Row key={index} cells={cells} selected={mark} filter={filter} />;
	});
}
