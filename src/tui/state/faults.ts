import {describeEffect, describeFault} from '../../client/fault-words.js';
import type {FaultBody, FaultHitBody} from '../../contract/faults.js';
import {wrap} from '../../lib/columns.js';
import {formatDuration} from '../../lib/units.js';
import {emptyList, type RowList, selectedRow, withRows} from './list.js';

/** The row that stands for the hits of all faults, and of addresses that ask for one; no fault has such an id. */
export const anyFault = {id: 'any fault'} as const;

export type FaultRow = FaultBody | typeof anyFault;

/** The faults of the selected inbox, or of the daemon. */
export type FaultsState = {
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

export const noFaults: FaultsState = {
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

/** Whether the row stands for one fault, and not for all hits. */
export function isFault(row: FaultRow): row is FaultBody {
	return row !== anyFault;
}

/** The selected fault; undefined on the row for all hits. */
export function selectedFault({faults}: Pick<FaultsState, 'faults'>): FaultBody | undefined {
	const row = selectedRow(faults);
	return row !== undefined && isFault(row) ? row : undefined;
}

/** Other faults in the same list. */
export function withFaults(state: FaultsState, faults: readonly FaultBody[]): FaultsState {
	return {...state, faults: withRows(state.faults, [anyFault, ...faults])};
}

/** Has the faults read again. */
export function withStaleFaults(faults: FaultsState): FaultsState {
	return {...faults, faultsRevision: faults.faultsRevision + 1};
}

/** How often a fault will still act, in words; `''` when that has no end, or each recipient or message has its own count. */
export function timesLeft({times, per, hit_count: hits}: FaultBody): string {
	return times === null || per !== null ? '' : hits < times ? `${times - hits} left` : 'over';
}

/** The selected hit and the selected fault, in lines of at most `width` columns. */
export function faultLines(
	fault: FaultBody | undefined,
	hit: FaultHitBody | undefined,
	width: number,
): readonly string[] {
	const parts = [hit === undefined ? [] : hitFacts(hit), fault === undefined ? [] : faultFacts(fault)];
	const texts = parts.filter(facts => facts.length > 0).map(facts => facts.join('\n'));
	return texts.length === 0 ? [] : wrap(texts.join('\n\n'), width);
}

function hitFacts(hit: FaultHitBody): readonly string[] {
	const {id, name, fault_id: faultId, time, stage, client, user, envelope, delay_ms: delay, message_id: message} = hit;
	return present({
		Hit: describeEffect(hit),
		Time: new Date(time).toLocaleString('sv'),
		Fault: faultId === null ? 'asked for by the address' : (name ?? faultId),
		Stage: stage,
		Client: client.helo === null ? client.host : `${client.host} (${client.helo})`,
		User: user,
		From: envelope.from === '' ? '<>' : envelope.from,
		To: envelope.to.join(', '),
		Delay: delay === 0 ? null : formatDuration(delay),
		Message: message && `kept as ${message}`,
		'Hit id': id,
	});
}

function faultFacts(fault: FaultBody): readonly string[] {
	const {id, name, stage, seen, hit_count: hits, expires_at: end, created_at: start} = fault;
	return present({
		Fault: name ?? id,
		Stage: stage,
		Does: describeFault(fault),
		Hits: `${hits} of ${seen} that it saw`,
		Left: timesLeft(fault),
		Made: new Date(start).toLocaleString('sv'),
		Ends: end && new Date(end).toLocaleString('sv'),
		Id: name === null ? null : id,
	});
}

/** A line for each that is there. */
function present(facts: Readonly<Record<string, string | null>>): readonly string[] {
	return Object.entries(facts).flatMap(([label, text]) => (text ? [`${label.padEnd(9)} ${text}`] : []));
}
