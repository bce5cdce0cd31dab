import type {FaultBody, FaultHitBody, FaultHitListBody} from '../../../contract/faults.js';
import {wrap} from '../../../lib/text/columns.js';
import {anyFault, faultFacts, hitFacts, isFault} from '../../core/faults.js';
import {type Facts, factRows} from '../../core/format.js';
import {selectedIndex, selectedRow, withRows} from '../../core/list.js';
import type {FaultPanes} from './state.js';

/** Selected fault; undefined for the row of all hits. */
export function selectedFault({list}: Pick<FaultPanes, 'list'>): FaultBody | undefined {
	const row = selectedRow(list);
	return row !== undefined && isFault(row) ? row : undefined;
}

/** Replaces the faults. */
export function withFaults(state: FaultPanes, faults: readonly FaultBody[]): FaultPanes {
	return {...state, list: withRows(state.list, [anyFault, ...faults])};
}

/** Replaces the hits. If the newest one was selected, selects the new newest one, unless the user is reading. */
export function withHits(
	state: FaultPanes,
	{hits: rows, total}: Pick<FaultHitListBody, 'hits' | 'total'>,
	isReading: boolean,
): FaultPanes {
	const {records} = state;
	const follows = selectedIndex(records) === 0 && !isReading;
	return {...state, records: withRows(follows ? {...records, selected: rows[0]?.id} : records, rows), total};
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
