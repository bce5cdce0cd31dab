import {once} from 'node:events';
import type {FileHandle} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import {type Adapter, Low} from 'lowdb';
import {type Files, replaceFile, writeFully} from '../../lib/io/files.js';
import {DataDir, formatVersion} from './data-dir.js';
import {isChange, readSegment} from './journal.js';
import {encodeLine, scan} from './lines.js';
import type {Change, Put, TableName, TableRows} from './state/change.js';
import {State} from './state/state.js';

const chunkBytes = 128 * 1024;

/** The rows of a snapshot, some hundred at a time: it need not be in memory as a whole, neither read nor written. */
type RowStream = Iterable<Change> | AsyncIterable<Change>;

/**
 * The file of one snapshot: checksummed lines, which are a header, the rows as changes, and a trailer that tells how
 * many rows there are. (The file adapter of lowdb knows no fsync, and makes one string of it all.)
 */
export class SnapshotFile implements Adapter<RowStream> {
	/** Once all rows were read: whether nothing was damaged or missing. */
	isIntact = false;
	/** Of the file, once all rows were read or written. */
	bytes = 0;
	readonly #files: Files;
	readonly #file: string;
	readonly #maxBytes: number;

	/** `maxBytes`: a longer snapshot is not written, and rejected. */
	constructor(dataDir: DataDir, number: number, maxBytes = Number.POSITIVE_INFINITY) {
		this.#files = dataDir.files;
		this.#file = dataDir.snapshot(number);
		this.#maxBytes = maxBytes;
	}

	/** All rows that are intact. The file is opened with the first of them, and closed with the last. */
	async read(): Promise<RowStream> {
		return this.#read();
	}

	/** Puts the whole snapshot in place, durably, or nothing at all. */
	async write(rows: RowStream): Promise<void> {
		await replaceFile(this.#files, this.#file, async draft => this.#write(draft, rows));
	}

	async *#read(): AsyncGenerator<Change> {
		const handle = await this.#files.open(this.#file, 'r');
		let count = 0;
		let isWhole = false;
		let isDamaged = false;
		try {
			for await (const lines of scan(handle)) {
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

/** All rows of a snapshot that are intact. */
export async function readSnapshot(file: SnapshotFile): Promise<RowStream> {
	const db = new Low<RowStream>(file, []);
	await db.read();
	return db.data;
}

/** Puts a snapshot in place, durably, or nothing at all. */
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

/** Makes a snapshot out of the one before it (0: there is none) and the segments from there to `next`. */
type FoldJob = {
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
