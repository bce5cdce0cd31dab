import type {ReactNode} from 'react';
import {keyLabel} from '../../core/key-words.js';
import {type HelpLine, helpLines} from '../keys/help.js';
import {Pane, type PanePlace} from './pane.js';
import {type Cell, Row} from './row.js';

const keysWidth = 17;
const doesWidth = 32;

/** In less room a command is left out. */
const minCommandWidth = 24;

/** Every key, from the table that the handler reads, and the command that does the same. */
export function HelpScreen({place, top}: {readonly place: PanePlace; readonly top: number}): ReactNode {
	const {width, height} = place;
	const end = Math.min(top + height - 1, helpLines.length);
	const note = helpLines.length < height ? '' : `${top + 1} to ${end} of ${helpLines.length}`;
	return (
		<Pane title="Keyboard shortcuts" note={note} place={place}>
			{helpLines.slice(top, end).map(line => (
				<Row key={'title' in line ? line.title : line.does} cells={cellsOf(line, width)} />
			))}
		</Pane>
	);
}

function cellsOf(line: HelpLine, width: number): readonly Cell[] {
	if ('title' in line) {
		return [{text: ` ${line.title}`, width, bold: true}];
	}

	const {keys, does, command} = line;
	const room = width - keysWidth - doesWidth;
	const typed = command === undefined || room < minCommandWidth ? '' : `tinbox ${command}`;
	return [
		{text: `  ${keys.map(keyLabel).join(' ')}`, width: keysWidth, color: 'cyan'},
		{text: does, width: Math.min(doesWidth, width - keysWidth)},
		{text: typed, width: room, dim: true},
	];
}
