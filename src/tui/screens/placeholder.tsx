import type {ReactNode} from 'react';
import {Row} from './row.js';

/** A sentence where there is nothing else to show. */
export function Placeholder({text, width}: {readonly text: string; readonly width: number}): ReactNode {
	return <Row columns={[{text: ` ${text}`, width, dim: true}]} />;
}
