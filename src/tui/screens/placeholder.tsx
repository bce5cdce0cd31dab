import {Box} from 'ink';
import type {ReactNode} from 'react';
import {wrap} from '../text/wrap.js';
import {Row} from './row.js';

/** A sentence where there is nothing else to show. */
export function Placeholder({text, width}: {readonly text: string; readonly width: number}): ReactNode {
	return (
		<Box flexDirection="column">
			{wrap(text, width - 2).map(line => (
				<Row key={line} columns={[{text: ` ${line}`, width, dim: true}]} />
			))}
		</Box>
	);
}
