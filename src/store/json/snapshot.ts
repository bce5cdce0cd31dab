import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import type {Adapter} from 'lowdb';
import type {Change} from './change.js';
import {type Files, fileMode, removeFile, syncDirectory, using, writeFully} from './files.js';
import {formatVersion} from './layout.js';
import {encodeLine} from './line.js';
import {scan} from './scan.js';
import {isChange} from './segment.js';
import {changesOf} from './snapshot-rows.js';
import {State} from './state.js';

const chunkBytes = 1024 * 1024;

/**
 * The file of one snapshot: checksummed lines, which are a header, the rows as changes, and a trailer that tells how
 * many rows there are. (The file adapter of lowdb knows no fsync, and makes one string of it all.)
 */
export class SnapshotFile implements Adapter<State> {
	/** After `read`: whether nothing of it was damaged or missing. */
	isIntact = false;
	/** Of the file, once read or written. */
	bytes = 0;
	readonly #files: Files;
	readonly #file: string;

	constructor(files: Files, file: string) {
		this.#files = files;
		this.#file = file;
	}

	/** Reads whatever is intact. */
	async read(): Promise<State> {
		const state = new State();
		let rows = 0;
		let isWhole = false;
		let isDamaged = false;
		const record = ([item]: readonly unknown[]) => {
			if (isChange(item)) {
				state.apply(item);
				rows += item.length;
			} else {
				isWhole = isTrailer(item, rows);
			}
		};
		const damage = () => {
			isDamaged = true;
		};
		await using(await this.#files.open(this.#file, 'r'), async handle => {
			await scan(handle, {record, damage});
			this.bytes = (await handle.stat()).size;
		});
		this.isIntact = isWhole && !isDamaged;
		return state;
	}

	/** Puts the whole snapshot in place, durably, or nothing at all. */
	async write(state: State): Promise<void> {
		const draft = `${this.#file}.tmp`;
		try {
			await using(await this.#files.open(draft, 'w', fileMode), async handle => this.#writeLines(handle, state));
			await this.#files.rename(draft, this.#file);
			await syncDirectory(this.#files, path.dirname(this.#file));
		} catch (error) {
			await removeFile(this.#files, draft).catch(() => {});
			throw error;
		}
	}

	async #writeLines(handle: FileHandle, state: State): Promise<void> {
		this.bytes = 0;
		for (const chunk of chunksOf(state)) {
			await writeFully(handle, chunk, this.bytes);
			this.bytes += chunk.length;
		}

		await handle.sync();
		const {size} = await handle.stat();
		if (size !== this.bytes) {
			throw new Error(`The snapshot has ${size} bytes on disk instead of ${this.bytes}.`);
		}
	}
}

function* chunksOf(state: State): Generator<Buffer> {
	let lines: Buffer[] = [];
	let bytes = 0;
	for (const item of itemsOf(state)) {
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

function* itemsOf(state: State): Generator<Change | {readonly version: number} | {readonly rows: number}> {
	let rows = 0;
	yield {version: formatVersion};
	for (const change of changesOf(state)) {
		yield change;
		rows += change.length;
	}

	yield {rows};
}

function isTrailer(item: unknown, rows: number): boolean {
	return typeof item === 'object' && item !== null && 'rows' in item && item.rows === rows;
}
