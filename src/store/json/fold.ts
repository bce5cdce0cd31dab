import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import type {Files} from '../../lib/files.js';
import {DataDir} from './data-dir.js';
import {readSegment} from './segment.js';
import {type RowStream, readSnapshot, SnapshotFile, writeSnapshot} from './snapshot.js';
import type {Change, Put, TableName, TableRows} from './state/change.js';
import {State} from './state/state.js';

/** Makes a snapshot out of the one before it (0: there is none) and the segments from there to `next`. */
export type FoldJob = {
	readonly dir: string;
	readonly base: number;
	readonly next: number;
	/** A snapshot that would be longer is given up, with an error. */
	readonly maxBytes: number;
};

/** Bytes of the snapshot that was made. */
export type Fold = (job: FoldJob, signal: AbortSignal) => Promise<number>;

/** Rows of one line in a snapshot: a line is read as a whole. */
const rowsPerChange = 100;

/** Of the tables with many or large rows, the fields that the rules of the state go by. */
const outlines: {readonly [T in TableName]?: ReadonlyArray<keyof TableRows[T]>} = {
	sources: ['id'],
	messages: ['id', 'inboxId', 'sourceId', 'size'],
	bodies: ['id'],
	deliveries: ['id', 'endpointId', 'messageId', 'nextAttemptAt', 'bodyId'],
	faultCounts: ['id', 'faultId'],
	faultHits: ['id', 'faultId', 'inboxId'],
};

/** Makes a snapshot in a thread of its own, so that the daemon answers meanwhile. */
export const foldInWorker: Fold = async (job, signal) => {
	const worker = new Worker(createRequire(import.meta.url).resolve('#compact-worker'), {
		workerData: job,
		resourceLimits: {maxYoungGenerationSizeMb: 8},
	});
	try {
		const [bytes]: number[] = await once(worker, 'message', {signal});
		return bytes ?? 0;
	} finally {
		await worker.terminate();
	}
};

/**
 * Reads the base twice, so that its rows need not all be in memory: first in outline, which is enough to apply the
 * segments, then whole, to write what is left of them. What is damaged was reported at start; the rest is kept.
 */
export async function fold(files: Files, {dir, base, next, maxBytes}: FoldJob): Promise<number> {
	const dataDir = new DataDir(files, dir);
	const readBase = async () => (base === 0 ? [] : readSnapshot(new SnapshotFile(dataDir, base)));
	const state = new State();
	for await (const rows of await readBase()) {
		state.restore(rows.map(op => (op[0] === 'put' ? inOutline(op) : op)));
	}

	for (const number of await dataDir.segmentNumbers()) {
		if (number >= base && number < next) {
			await readSegment(dataDir, number, (change, place) => state.apply(change, place));
		}
	}

	const snapshot = new SnapshotFile(dataDir, next, maxBytes);
	await writeSnapshot(snapshot, inChanges(rowsLeft(state, await readBase())));
	return snapshot.bytes;
}

function inOutline<T extends TableName>([verb, table, row]: Put<T>): Put<T> {
	const fields = outlines[table];
	if (!fields) {
		return [verb, table, row];
	}

	const outline: Partial<TableRows[T]> = {};
	for (const field of fields) {
		outline[field] = row[field];
	}

	return [verb, table, outline as TableRows[T]];
}

/** What is left of the base, in its order, then what is new: either way, rows come after those that they belong to. */
async function* rowsLeft(state: State, base: RowStream): AsyncGenerator<Put> {
	const written = new Set<unknown>();
	for await (const rows of base) {
		for (const op of rows) {
			const row = op[0] === 'put' ? state.tables[op[1]].get(op[2].id) : undefined;
			if (op[0] === 'put' && row) {
				written.add(row);
				// What is missing in an outline is as it was.
				yield ['put', op[1], {...op[2], ...row}] as Put;
			}
		}
	}

	for (const [table, rows] of Object.entries(state.tables)) {
		for (const row of rows.values()) {
			if (!written.has(row)) {
				yield ['put', table, row] as Put;
			}
		}
	}
}

async function* inChanges(puts: AsyncIterable<Put>): AsyncGenerator<Change> {
	let change: Put[] = [];
	for await (const put of puts) {
		change.push(put);
		if (change.length === rowsPerChange) {
			yield change;
			change = [];
		}
	}

	yield change;
}
