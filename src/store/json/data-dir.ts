import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {DataDirError, errorCode} from '../../lib/errors.js';
import {type Files, replaceFile} from '../../lib/io/files.js';
import type {CopyMark} from '../dump.js';

/** Version of the file format, in the first line of every segment and snapshot. */
export const formatVersion = 1;

/** Paths of a data directory, and the file system calls used for them. */
export class DataDir {
	readonly files: Files;
	readonly path: string;
	readonly journal: string;
	readonly snapshots: string;
	readonly sources: string;
	readonly reserve: string;
	readonly copyMark: string;

	constructor(files: Files, dir: string) {
		this.files = files;
		this.path = path.resolve(dir);
		this.journal = path.join(this.path, 'journal');
		this.snapshots = path.join(this.path, 'snapshots');
		this.sources = path.join(this.path, 'sources');
		this.reserve = path.join(this.path, 'reserve');
		this.copyMark = path.join(this.path, 'copy.json');
	}

	segment(number: number): string {
		return path.join(this.journal, fileName(number));
	}

	/** The snapshot of all changes before the segment with this number. */
	snapshot(number: number): string {
		return path.join(this.snapshots, fileName(number));
	}

	/** The file of a large mail. */
	source(id: string): string {
		return path.join(this.sources, `${id}.eml`);
	}

	/** Numbers of all segments, ascending. */
	async segmentNumbers(): Promise<number[]> {
		return this.#numbersIn(this.journal);
	}

	/** Numbers of missing segments, from `first` up to `end` (exclusive). */
	async missingSegments(first: number, end: number): Promise<number[]> {
		const present = new Set(await this.segmentNumbers());
		return Array.from({length: end - first}, (_, index) => first + index).filter(number => !present.has(number));
	}

	/** Numbers of all snapshots, ascending. */
	async snapshotNumbers(): Promise<number[]> {
		return this.#numbersIn(this.snapshots);
	}

	/** Bytes of all data files. Queries one file at a time, so that writes are not delayed by very many files. */
	async size(): Promise<number> {
		let bytes = 0;
		for (const folder of [this.journal, this.snapshots, this.sources]) {
			for (const name of await this.files.readdir(folder)) {
				// The file may have been removed meanwhile.
				bytes += (await this.files.stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0;
			}
		}

		return bytes;
	}

	async #numbersIn(folder: string): Promise<number[]> {
		const names = await this.files.readdir(folder);
		return names
			.flatMap(name => /^(\d{6,})\.jsonl$/.exec(name)?.[1] ?? [])
			.map(Number)
			.sort((a, b) => a - b);
	}
}

function fileName(number: number): string {
	return `${String(number).padStart(6, '0')}.jsonl`;
}

/** Reads the copy mark; undefined if the data directory is not a copy. */
export async function readCopyMark({copyMark}: DataDir): Promise<CopyMark | undefined> {
	try {
		return JSON.parse(await readFile(copyMark, 'utf8'));
	} catch (error) {
		if (errorCode(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}

/** Writes the copy mark durably. */
export async function writeCopyMark({files, copyMark}: DataDir, mark: CopyMark): Promise<void> {
	await replaceFile(files, copyMark, async draft => draft.writeFile(`${JSON.stringify(mark)}\n`));
}

/** Throws `DataDirError` for an unfinished copy, which would look like a complete store. */
export async function assertCopyFinished(dataDir: DataDir): Promise<void> {
	const mark = await readCopyMark(dataDir);
	if (mark?.isWhole === false) {
		throw new DataDirError(`The data folder ${dataDir.path} is an unfinished copy. Finish it: tinbox store copy`);
	}
}
