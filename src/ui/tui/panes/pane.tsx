import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {displayable, fitTo, wrap} from '../../../lib/text/columns.js';
import {markMatches} from '../../core/filter.js';
import {type RowList, selectedIndex, windowOf} from '../../core/list.js';
import type {WatchState} from '../state/state.js';

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

/** One column of a row: text from anywhere, cut or padded to its width. */
export type Cell = {
	readonly text: string;
	readonly width: number;
	readonly color?: string;
	readonly dim?: boolean;
	readonly bold?: boolean;
};

/** The selected row of a list; `here` when its pane has the focus. */
type Selected = 'here' | 'elsewhere' | undefined;

/** The first column of a row that can be selected, which shows that it is where nothing else does. */
function gutter(selected: Selected): Cell {
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

/** As many of the parts as fit side by side; the first one in any case. */
export function joinFitting(parts: readonly string[], width: number): string {
	return parts.reduce((line, part) => {
		const longer = line === '' ? part : `${line}  ${part}`;
		return longer.length <= width || line === '' ? longer : line;
	}, '');
}
