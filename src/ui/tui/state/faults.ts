import type {FaultBody, FaultHitBody, FaultHitListBody} from '../../../contract/faults.js';
import {wrap} from '../../../lib/text/columns.js';
import {anyFault, type FaultRow, faultFacts, hitFacts, isFault} from '../../core/faults.js';
import {type Facts, factRows} from '../../core/format.js';
import {emptyList, type RowList, selectedIndex, selectedRow, withRows} from '../../core/list.js';

/** Faults and hits of the selected inbox, or of the daemon. */
export type FaultPanes = {
	/** Inbox of the faults; null for the daemon, undefined before the inboxes were read. */
	readonly inboxId: string | null | undefined;
	/** Row for all hits, and the faults in the order of evaluation. */
	readonly faults: RowList<FaultRow>;
	/** Latest hits of the selected row, newest first. */
	readonly hits: RowList<FaultHitBody>;
	/** Number of all hits of the selected row. */
	readonly total: number;
	/** Increases when the data may have changed. There is no event for mail that a fault lets pass. */
	readonly faultsRevision: number;
	readonly hitsRevision: number;
	/** Names of the last answered requests; `''` before the first. */
	readonly faultsRead: string;
	readonly hitsRead: string;
	/** Lines of the selected hit and fault, wrapped to the width of the pane, and the first line in view. */
	readonly lines: readonly string[];
	readonly top: number;
};

export const noFaultPanes: FaultPanes = {
	inboxId: undefined,
	faults: emptyList,
	hits: emptyList,
	total: 0,
	faultsRevision: 0,
	hitsRevision: 0,
	faultsRead: '',
	hitsRead: '',
	lines: [],
	top: 0,
};

/** Selected fault; undefined for the row of all hits. */
export function selectedFault({faults}: Pick<FaultPanes, 'faults'>): FaultBody | undefined {
	const row = selectedRow(faults);
	return row !== undefined && isFault(row) ? row : undefined;
}

/** Replaces the faults. */
export function withFaults(state: FaultPanes, faults: readonly FaultBody[]): FaultPanes {
	return {...state, faults: withRows(state.faults, [anyFault, ...faults])};
}

/** Replaces the hits. If the newest one was selected, selects the new newest one, unless the user is reading. */
export function withHits(
	state: FaultPanes,
	{hits: rows, total}: Pick<FaultHitListBody, 'hits' | 'total'>,
	isReading: boolean,
): FaultPanes {
	const {hits} = state;
	const follows = selectedIndex(hits) === 0 && !isReading;
	return {...state, hits: withRows(follows ? {...hits, selected: rows[0]?.id} : hits, rows), total};
}

/** Requests that the faults are read again. */
export function withStaleFaults(faults: FaultPanes): FaultPanes {
	return {...faults, faultsRevision: faults.faultsRevision + 1};
}

const labelWidth = 9;

/** Lines of a hit and a fault, at most `width` columns wide. */
export function faultLines(
	fault: FaultBody | undefined,
	hit: FaultHitBody | undefined,
	width: number,
): readonly string[] {
	const hitLines = hit === undefined ? [] : factLines(hitFacts(hit), width);
	const ownLines = fault === undefined ? [] : factLines(faultFacts(fault), width);
	return hitLines.length > 0 && ownLines.length > 0 ? [...hitLines, '', ...ownLines] : [...hitLines, ...ownLines];
}

function factLines(facts: Facts, width: number): readonly string[] {
	return factRows(facts).flatMap(([label, text]) =>
		wrap(text, width - labelWidth).map((line, index) => (index === 0 ? label : '').padEnd(labelWidth) + line),
	);
}
