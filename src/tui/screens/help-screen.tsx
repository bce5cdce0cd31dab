import {Box} from 'ink';
import type {ReactNode} from 'react';
import {type Binding, keyLabel} from '../keys/bindings.js';
import {helpLines} from '../keys/help.js';
import {Pane} from './pane.js';
import {Row} from './row.js';

const keysWidth = 17;
const doesWidth = 32;

/** Less of a command than this tells nothing. */
const leastCommandWidth = 24;

type HelpProps = {readonly width: number; readonly height: number; readonly top: number};

/** Every key, from the table that the handler reads, and the command that does the same. */
export function HelpScreen({width, height, top}: HelpProps): ReactNode {
	const end = Math.min(top + height - 1, helpLines.length);
	const note = helpLines.length < height ? '' : `${top + 1} to ${end} of ${helpLines.length}`;
	return (
		<Pane title="Keys" note={note} width={width} height={height} focused>
			<Box flexDirection="column">
				{helpLines
					.slice(top, end)
					.map(line =>
						'title' in line ? (
							<Row key={line.title} columns={[{text: ` ${line.title}`, width, bold: true}]} />
						) : (
							<KeyLine key={line.keys.join()} binding={line} width={width} />
						),
					)}
			</Box>
		</Pane>
	);
}

function KeyLine({binding, width}: {readonly binding: Binding; readonly width: number}): ReactNode {
	const {keys, does, command} = binding;
	const room = width - keysWidth - doesWidth;
	const typed = command === undefined || room < leastCommandWidth ? '' : `tinbox ${command}`;
	return (
		<Row
			columns={[
				{text: `  ${keys.map(keyLabel).join(' ')}`, width: keysWidth, color: 'cyan'},
				{text: does, width: Math.min(doesWidth, width - keysWidth)},
				{text: typed, width: Math.max(0, room), dim: true},
			]}
		/>
	);
}
