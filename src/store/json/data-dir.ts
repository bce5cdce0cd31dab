import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {DataDirError, errorCode} from '../../lib/errors.js';
import {type Files, replaceFile} from '../../lib/io/files.js';
import type {CopyMark} from '../dump.js';

/**
 * The version of the files' format: what begins every segment and every snapshot. Since 2, deliveries can share a body; since 3, there are faults and bounces;
 * since 4, web sessions; since 5, several mails in one source, receipts and templates; since 6, evictions.
 */
export const formatVersion = 6;

/** A data directory: what lies where in it, and the calls to the file system that reach it. */
export class DataDir {
	readonly files: Files;
	readonly path: string;
	readonly journal: string;
	readonly snapshots: string;
	readonly sources: string;
	readonly reserve: string;
	/** What it is a copy of, if it is one. */
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
		return path.join(this.journal, nameOf(number));
	}

	/** The snapshot of everything before the segment of that number. */
	snapshot(number: number): string {
		return path.join(this.snapshots, nameOf(number));
	}

	/** The bytes of a mail that has a file of its own. */
	source(id: string): string {
		return path.join(this.sources, `${id}.eml`);
	}

	/** The numbers of all segments, in order. */
	async segmentNumbers(): Promise<number[]> {
		return this.#numbersIn(this.journal);
	}

	/** The numbers from `first` up to, but not including, `end` for which there is no segment. */
	async missingSegments(first: number, end: number): Promise<number[]> {
		const present = new Set(await this.segmentNumbers());
		return Array.from({length: end - first}, (_, index) => first + index).filter(number => !present.has(number));
	}

	/** Bytes of all files with data. Only one is looked at at a time, so that writes need not wait behind very many. */
	async size(): Promise<number> {
		let bytes = 0;
		for (const folder of [this.journal, this.snapshots, this.sources]) {
			for (const name of await this.files.readdir(folder)) {
				// It may be gone by now.
				bytes += (await this.files.stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0;
			}
		}

		return bytes;
	}

	/** The numbers of all snapshots, in order. */
	async snapshotNumbers(): Promise<number[]> {
		return this.#numbersIn(this.snapshots);
	}

	async #numbersIn(folder: string): Promise<number[]> {
		const names = await this.files.readdir(folder);
		return names
			.flatMap(name => /^(\d{6,})\.jsonl$/.exec(name)?.[1] ?? [])
			.map(Number)
			.sort((a, b) => a - b);
	}
}

function nameOf(number: number): string {
	return `${String(number).padStart(6, '0')}.jsonl`;
}

/** What the data directory is a copy of; undefined when it is none. */
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

export async function writeCopyMark({files, copyMark}: DataDir, mark: CopyMark): Promise<void> {
	await replaceFile(files, copyMark, async draft => draft.writeFile(`${JSON.stringify(mark)}\n`));
}

/** Throws for a copy of which a part is missing: who used it would take it for the whole. */
export async function assertWholeFolder(dataDir: DataDir): Promise<void> {
	const mark = await readCopyMark(dataDir);
	if (mark?.isWhole === false) {
		throw new DataDirError(`The data folder ${dataDir.path} is an unfinished copy. Finish it: tinbox store copy`);
	}
}
