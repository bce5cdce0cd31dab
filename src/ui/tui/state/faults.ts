import type {FaultBody, FaultHitBody, FaultHitListBody} from '../../../contract/faults.js';
import {wrap} from '../../../lib/text/columns.js';
import {anyFault, type FaultRow, faultFacts, hitFacts, isFault} from '../../core/faults.js';
import {type Facts, factRows} from '../../core/format.js';
import {emptyList, type RowList, selectedIndex, selectedRow, withRows} from '../../core/list.js';

/** The faults of the selected inbox, or of the daemon. */
export type FaultPanes = {
	/** Whose they are; null is the daemon, undefined nobody yet. */
	readonly inboxId: string | null | undefined;
	/** The row for all hits, and the faults in the order in which they are asked. */
	readonly faults: RowList<FaultRow>;
	/** The hits of the selected row that were read, newest first. */
	readonly hits: RowList<FaultHitBody>;
	/** How many hits the selected row has. */
	readonly total: number;
	/** Counts up when faults or hits may have changed; there is no event for what a fault lets pass. */
	readonly faultsRevision: number;
	readonly hitsRevision: number;
	/** The requests that the faults and the hits came from; `''` before the first. */
	readonly faultsRead: string;
	readonly hitsRead: string;
	/** The selected hit and the fault, wrapped to the width of the pane, and the first line in view. */
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

/** The selected fault; undefined on the row for all hits. */
export function selectedFault({faults}: Pick<FaultPanes, 'faults'>): FaultBody | undefined {
	const row = selectedRow(faults);
	return row !== undefined && isFault(row) ? row : undefined;
}

/** Other faults in the same list. */
export function withFaults(state: FaultPanes, faults: readonly FaultBody[]): FaultPanes {
	return {...state, faults: withRows(state.faults, [anyFault, ...faults])};
}

/** Other hits of the same row. Where the newest was selected the newest is, unless a person reads the other one. */
export function withHits(
	state: FaultPanes,
	{hits: rows, total}: Pick<FaultHitListBody, 'hits' | 'total'>,
	isReading: boolean,
): FaultPanes {
	const {hits} = state;
	const follows = selectedIndex(hits) === 0 && !isReading;
	return {...state, hits: withRows(follows ? {...hits, selected: rows[0]?.id} : hits, rows), total};
}

/** Has the faults read again. */
export function withStaleFaults(faults: FaultPanes): FaultPanes {
	return {...faults, faultsRevision: faults.faultsRevision + 1};
}

const labelWidth = 9;

/** The selected hit and the selected fault, in lines of at most `width` columns. */
export function faultLines(
	fault: FaultBody | undefined,
	hit: FaultHitBody | undefined,
	width: number,
): readonly string[] {
	const ofHit = hit === undefined ? [] : factLines(hitFacts(hit), width);
	const ofFault = fault === undefined ? [] : factLines(faultFacts(fault), width);
	return ofHit.length > 0 && ofFault.length > 0 ? [...ofHit, '', ...ofFault] : [...ofHit, ...ofFault];
}

function factLines(facts: Facts, width: number): readonly string[] {
	return factRows(facts).flatMap(([label, text]) =>
		wrap(text, width - labelWidth).map((line, index) => (index === 0 ? label : '').padEnd(labelWidth) + line),
	);
}
