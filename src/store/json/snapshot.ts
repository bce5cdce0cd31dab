import {once} from 'node:events';
import type {FileHandle} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import {type Adapter, Low} from 'lowdb';
import {type Files, replaceFile, writeFully} from '../../lib/io/files.js';
import {DataDir, formatVersion} from './data-dir.js';
import {isChange, readSegment} from './journal.js';
import {encodeLine, readLines} from './lines.js';
import type {Change, Put, TableName, TableRows} from './state/change.js';
import {State} from './state/state.js';

const chunkBytes = 128 * 1024;

/** Describes the next snapshot: `base` is the previous one (0: none); segments from there to `next` (exclusive) are applied. */
type SnapshotJob = {
	readonly dir: string;
	readonly base: number;
	readonly next: number;
	/** Maximum size; a longer snapshot is rejected. */
	readonly maxBytes: number;
};

/** Creates a snapshot and resolves to its size in bytes. */
export type CreateSnapshot = (job: SnapshotJob, signal: AbortSignal) => Promise<number>;

/** Rows per line of a snapshot. A line is read as a whole. */
const rowsPerChange = 100;

/** Fields that `State` needs to apply changes, for the tables with many or large rows. */
const indexFields: {readonly [T in TableName]?: ReadonlyArray<keyof TableRows[T]>} = {
	sources: ['id'],
	messages: ['id', 'inboxId', 'sourceId', 'size'],
	bodies: ['id'],
	deliveries: ['id', 'endpointId', 'messageId', 'nextAttemptAt', 'bodyId'],
	faultCounts: ['id', 'faultId'],
	faultHits: ['id', 'faultId', 'inboxId'],
};

/** Creates a snapshot in a worker thread, so that the main thread is not blocked. */
export const createSnapshotInWorker: CreateSnapshot = async (job, signal) => {
	const worker = new Worker(createRequire(import.meta.url).resolve('#snapshot-worker'), {
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
 * Merges the previous snapshot and the following segments into the next snapshot. Reads the previous one twice, so that its rows
 * are never all in memory: first only their index fields, which suffice to apply the segments, then completely, to write the
 * remaining rows. Skips damaged rows, which were reported at start.
 */
export async function createSnapshot(files: Files, {dir, base, next, maxBytes}: SnapshotJob): Promise<number> {
	const dataDir = new DataDir(files, dir);
	const readBase = async () => (base === 0 ? [] : readSnapshot(new SnapshotFile(dataDir, base)));
	const state = new State();
	for await (const rows of await readBase()) {
		state.restore(rows.map(op => (op[0] === 'put' ? withIndexFields(op) : op)));
	}

	for (const number of await dataDir.segmentNumbers()) {
		if (number >= base && number < next) {
			await readSegment(dataDir, number, (change, position) => state.apply(change, position));
		}
	}

	const snapshot = new SnapshotFile(dataDir, next, maxBytes);
	await writeSnapshot(snapshot, inBatches(remainingRows(state, await readBase())));
	return snapshot.bytes;
}

function withIndexFields<T extends TableName>([verb, table, row]: Put<T>): Put<T> {
	const fields = indexFields[table];
	if (!fields) {
		return [verb, table, row];
	}

	const keys: Partial<TableRows[T]> = {};
	for (const field of fields) {
		keys[field] = row[field];
	}

	return [verb, table, keys as TableRows[T]];
}

/** The remaining rows of the base in their order, then the new rows. Rows come after the rows that they belong to. */
async function* remainingRows(state: State, base: RowStream): AsyncGenerator<Put> {
	const written = new Set<unknown>();
	for await (const rows of base) {
		for (const op of rows) {
			const row = op[0] === 'put' ? state.tables[op[1]].get(op[2].id) : undefined;
			if (op[0] === 'put' && row) {
				written.add(row);
				// Fields that are not index fields have not changed.
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

async function* inBatches(puts: AsyncIterable<Put>): AsyncGenerator<Change> {
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

/** The rows of a snapshot in batches, so that it is never in memory as a whole. */
type RowStream = Iterable<Change> | AsyncIterable<Change>;

/**
 * A snapshot file as a lowdb adapter: checksummed lines with a header, the rows as changes, and a trailer with the number of
 * rows. The file adapter of lowdb has no fsync and creates one string of the whole content.
 */
export class SnapshotFile implements Adapter<RowStream> {
	/** Set when all rows were read: true if no row is damaged or missing. */
	isIntact = false;
	/** Size of the file, set when all rows were read or written. */
	bytes = 0;
	readonly #files: Files;
	readonly #file: string;
	readonly #maxBytes: number;

	/** `maxBytes`: a write that exceeds it is rejected. */
	constructor(dataDir: DataDir, number: number, maxBytes = Number.POSITIVE_INFINITY) {
		this.#files = dataDir.files;
		this.#file = dataDir.snapshot(number);
		this.#maxBytes = maxBytes;
	}

	/** Reads the intact rows. The file is open while the rows are iterated. */
	async read(): Promise<RowStream> {
		return this.#read();
	}

	/** Replaces the file durably and atomically. */
	async write(rows: RowStream): Promise<void> {
		await replaceFile(this.#files, this.#file, async draft => this.#write(draft, rows));
	}

	async *#read(): AsyncGenerator<Change> {
		const handle = await this.#files.open(this.#file, 'r');
		let count = 0;
		let isWhole = false;
		let isDamaged = false;
		try {
			for await (const lines of readLines(handle)) {
				for (const [item] of lines.map(({items}) => items ?? [])) {
					if (isChange(item)) {
						count += item.length;
						yield item;
					} else {
						isDamaged ||= item === undefined;
						isWhole = isTrailer(item, count);
					}
				}
			}

			this.bytes = (await handle.stat()).size;
			this.isIntact = isWhole && !isDamaged;
		} finally {
			await handle.close().catch(() => {});
		}
	}

	async #write(handle: FileHandle, rows: RowStream): Promise<void> {
		this.bytes = 0;
		for await (const chunk of chunksOf(rows)) {
			if (this.bytes + chunk.length > this.#maxBytes) {
				throw new Error(`The snapshot exceeds the available ${this.#maxBytes} bytes.`);
			}

			await writeFully(handle, chunk, this.bytes);
			this.bytes += chunk.length;
		}

		const {size} = await handle.stat();
		if (size !== this.bytes) {
			throw new Error(`The snapshot has ${size} bytes on disk instead of ${this.bytes}.`);
		}
	}
}

/** Reads the intact rows of a snapshot. */
export async function readSnapshot(file: SnapshotFile): Promise<RowStream> {
	const db = new Low<RowStream>(file, []);
	await db.read();
	return db.data;
}

/** Writes a snapshot durably and atomically. */
async function writeSnapshot(file: SnapshotFile, rows: RowStream): Promise<void> {
	await new Low(file, rows).write();
}

async function* chunksOf(rows: RowStream): AsyncGenerator<Buffer> {
	let lines: Buffer[] = [];
	let bytes = 0;
	for await (const item of itemsOf(rows)) {
		const line = encodeLine(JSON.stringify(item));
		lines.push(line);
		bytes += line.length;
		if (bytes >= chunkBytes) {
			yield Buffer.concat(lines);
			lines = [];
			bytes = 0;
		}
	}

	yield Buffer.concat(lines);
}

async function* itemsOf(rows: RowStream): AsyncGenerator<Change | {readonly [field: string]: number}> {
	let count = 0;
	yield {version: formatVersion};
	for await (const change of rows) {
		yield change;
		count += change.length;
	}

	yield {rows: count};
}

function isTrailer(item: unknown, rows: number): boolean {
	return typeof item === 'object' && item !== null && 'rows' in item && item.rows === rows;
}
