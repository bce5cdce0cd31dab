import {displayable, fitTo, wrap} from '../../../lib/text/columns.js';
import {markMatches} from '../../core/filter.js';
import {type RowList, selectedIndex, windowOf} from '../../core/list.js';
import type {WatchState} from '../state/state.js';

/** Size of a pane, and whether it has the focus. */
export type PanePlace = {readonly width: number; readonly height: number; readonly focused: boolean};

/** Lines of a pane, each exactly as wide as the pane. */
export type RenderPane = (state: WatchState, place: PanePlace) => readonly string[];

type Style = {
	readonly color?: keyof typeof colors;
	readonly dim?: boolean;
	readonly bold?: boolean;
	readonly underline?: boolean;
	readonly inverse?: boolean;
};

/** Part of a line: a text from anywhere, cut or padded to its width. */
export type Cell = Style & {readonly text: string; readonly width: number};

/** Selection of a row; `here` if its pane has the focus. */
type Selected = 'here' | 'elsewhere' | undefined;

/** Codes of SGR (ECMA-48, section 8.3.117). */
const colors = {red: 31, green: 32, yellow: 33, cyan: 36} as const;
const codes = {bold: 1, dim: 2, underline: 4, inverse: 7} as const;

/** Text with sequences that set its style and reset it. */
export function styled(text: string, {color, ...flags}: Style): string {
	const names = (Object.keys(codes) as Array<keyof typeof codes>).filter(name => flags[name]);
	const set = [...names.map(name => codes[name]), ...(color ? [colors[color]] : [])].map(code => `\x1b[${code}m`);
	return text === '' || set.length === 0 ? text : `${set.join('')}${text}\x1b[0m`;
}

type LineOptions = {
	readonly selected?: Selected;
	/** Text whose matches are underlined. */
	readonly filter?: string;
};

/** Line of cells, exactly `width` columns wide. */
export function line(width: number, cells: readonly Cell[], {selected, filter = ''}: LineOptions = {}): string {
	const row: Style = {inverse: selected === 'here', bold: selected === 'elsewhere'};
	let room = width;
	const texts = cells.map(({text, width: wanted, ...style}) => {
		const columns = Math.max(0, Math.min(wanted, room));
		room -= columns;
		const look: Style = {
			...style,
			...row,
			bold: style.bold || row.bold || false,
			dim: (style.dim ?? false) && !selected,
			inverse: style.inverse || row.inverse || false,
		};
		const {color: _, ...plain} = look;
		return marked(fitTo(text, columns), selected === 'here' ? plain : look, filter);
	});
	return texts.join('') + styled(' '.repeat(Math.max(0, room)), row);
}

function marked(text: string, style: Style, filter: string): string {
	return markMatches(text, filter)
		.map(run => styled(run.text, run.marked ? {...style, underline: true, bold: true, color: 'yellow'} : style))
		.join('');
}

/** Minimum width of a title; a note beside it is cut first. */
export const minTitleWidth = 12;

type PaneOptions = {
	readonly title: string;
	/** Text at the right of the title. */
	readonly note?: string;
	readonly place: PanePlace;
};

/** Title line, and the body cut or padded to the height of the pane. */
export function pane({title, note = '', place}: PaneOptions, body: readonly string[] = []): readonly string[] {
	const {width, height, focused} = place;
	const noteWidth = Math.min(note.length, Math.max(0, width - minTitleWidth - 1));
	const head = line(width, [
		{
			text: `${focused ? '▌' : ' '}${title}`,
			width: width - noteWidth - 1,
			bold: true,
			...(focused && {color: 'cyan'}),
		},
		{text: ` ${note}`, width: noteWidth + 1, dim: true},
	]);
	const blank = ' '.repeat(width);
	return Array.from({length: height}, (_, index) => (index === 0 ? head : (body[index - 1] ?? blank)));
}

type TextOptions = {
	readonly width: number;
	/** Index of the selected line. */
	readonly selected?: number | undefined;
	readonly dim?: boolean;
	/** Text whose matches are underlined. */
	readonly filter?: string;
};

/** Lines of a text, one column from the border. */
export function textLines(
	lines: readonly string[],
	{width, selected, dim = false, filter = ''}: TextOptions,
): readonly string[] {
	return lines.map((text, index) => {
		const mark = index === selected ? 'here' : undefined;
		return line(width, [gutter(mark), {text, width: width - 1, dim}], {selected: mark, filter});
	});
}

type ListOptions<R extends {readonly id: string}> = PaneOptions & {
	readonly list: RowList<R>;
	/** Cells of a row, without the gutter. */
	readonly cellsOf: (row: R) => readonly Cell[];
	/** Text in place of an empty list. */
	readonly empty: string;
	readonly filter?: string;
};

/** Pane with a list. Only the rows in view are rendered. */
export function listPane<R extends {readonly id: string}>(options: ListOptions<R>): readonly string[] {
	const {place, list, cellsOf, empty, filter = ''} = options;
	const {width, height, focused} = place;
	if (list.rows.length === 0) {
		return pane(options, textLines(wrap(displayable(empty), width - 2), {width, dim: true}));
	}

	const selected = selectedIndex(list);
	const {start, end} = windowOf(list.rows.length, selected, height - 1);
	const lines = list.rows.slice(start, end).map((row, index) => {
		const mark = start + index === selected ? (focused ? 'here' : 'elsewhere') : undefined;
		return line(width, [gutter(mark), ...cellsOf(row)], {selected: mark, filter});
	});
	return pane(options, lines);
}

/** First column of a row, which marks the selection on terminals without styles. */
function gutter(selected: Selected): Cell {
	return {text: selected === undefined ? ' ' : '>', width: 1};
}

/** Joins as many parts as fit into the width, at least the first one. */
export function joinFitting(parts: readonly string[], width: number): string {
	return parts.reduce((joined, part) => {
		const longer = joined === '' ? part : `${joined}  ${part}`;
		return longer.length <= width || joined === '' ? longer : joined;
	}, '');
}
