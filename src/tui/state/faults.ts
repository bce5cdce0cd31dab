import {describeFault} from '../../client/fault-words.js';
import {describeEffect, type FaultBody, type FaultHitBody, type FaultHitListBody} from '../../contract/faults.js';
import {wrap} from '../../lib/columns.js';
import {formatDuration} from '../../lib/units.js';
import {emptyList, type RowList, selectedIndex, selectedRow, withRows} from './list.js';

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

/** Other hits of the same row. Where the newest was selected the newest is, unless a person reads the other one. */
export function withHits(
	state: FaultsState,
	{hits: rows, total}: Pick<FaultHitListBody, 'hits' | 'total'>,
	isReading: boolean,
): FaultsState {
	const {hits} = state;
	const follows = selectedIndex(hits) === 0 && !isReading;
	return {...state, hits: withRows(follows ? {...hits, selected: rows[0]?.id} : hits, rows), total};
}

/** Has the faults read again. */
export function withStaleFaults(faults: FaultsState): FaultsState {
	return {...faults, faultsRevision: faults.faultsRevision + 1};
}

/** How often a fault will still act, in words; `''` when that has no end, or each recipient or message has its own count. */
export function timesLeft({times, per, hit_count: hits}: FaultBody): string {
	return times === null || per !== null ? '' : hits < times ? `${times - hits} left` : 'over';
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

function hitFacts(hit: FaultHitBody): Facts {
	const {name, fault_id: faultId, time, stage, client, user, envelope, delay_ms: delay, message_id: message} = hit;
	return {
		Hit: describeEffect(hit),
		Time: new Date(time).toLocaleString('sv'),
		Fault: faultId === null ? 'asked for by the address' : (name ?? faultId),
		Stage: stage,
		Client: client.helo === null ? client.host : `${client.host} (${client.helo})`,
		User: user,
		From: envelope.from === '' ? '<>' : envelope.from,
		To: envelope.to.join(', '),
		Delay: delay === 0 ? null : formatDuration(delay),
		Message: message,
	};
}

function faultFacts(fault: FaultBody): Facts {
	const {id, name, stage, seen, hit_count: hits, expires_at: end, created_at: start} = fault;
	const left = timesLeft(fault);
	return {
		Fault: name,
		Stage: stage,
		Does: describeFault(fault),
		Hits: `${hits} of ${seen} that it saw${left === '' ? '' : `, ${left}`}`,
		Made: new Date(start).toLocaleString('sv'),
		Ends: end && new Date(end).toLocaleString('sv'),
		Id: id,
	};
}

/** By label; what is not there has no line. */
type Facts = Readonly<Record<string, string | null>>;

function factLines(facts: Facts, width: number): readonly string[] {
	return Object.entries(facts).flatMap(([label, text]) =>
		text
			? wrap(text, width - labelWidth).map((line, index) => (index === 0 ? label : '').padEnd(labelWidth) + line)
			: [],
	);
}
