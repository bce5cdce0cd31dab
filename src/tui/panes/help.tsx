import type {ReactNode} from 'react';
import type {Binding} from '../keys/bindings.js';
import {helpLines, keyLabel} from '../keys/help.js';
import {Pane, type PanePlace} from './pane.js';
import {Row} from './row.js';

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
		<Pane title="Keys" note={note} place={place}>
			{helpLines
				.slice(top, end)
				.map(line =>
					'title' in line ? (
						<Row key={line.title} cells={[{text: ` ${line.title}`, width, bold: true}]} />
					) : (
						<KeyLine key={line.keys.join()} binding={line} width={width} />
					),
				)}
		</Pane>
	);
}

function KeyLine({binding, width}: {readonly binding: Binding; readonly width: number}): ReactNode {
	const {keys, does, command} = binding;
	const room = width - keysWidth - doesWidth;
	const typed = command === undefined || room < minCommandWidth ? '' : `tinbox ${command}`;
	return (
		<Row
			cells={[
				{text: `  ${keys.map(keyLabel).join(' ')}`, width: keysWidth, color: 'cyan'},
				{text: does, width: Math.min(doesWidth, width - keysWidth)},
				{text: typed, width: Math.max(0, room), dim: true},
			]}
		/>
	);
}
