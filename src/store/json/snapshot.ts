import type {FileHandle} from 'node:fs/promises';
import {type Adapter, Low} from 'lowdb';
import {type Files, replaceFile, writeFully} from '../../lib/files.js';
import {type DataDir, formatVersion} from './data-dir.js';
import {encodeLine, scan} from './lines.js';
import {isChange} from './segment.js';
import type {Change} from './state/change.js';

const chunkBytes = 128 * 1024;

/** The rows of a snapshot, some hundred at a time: it need not be in memory as a whole, neither read nor written. */
export type RowStream = Iterable<Change> | AsyncIterable<Change>;

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
export async function writeSnapshot(file: SnapshotFile, rows: RowStream): Promise<void> {
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
