import {readFileSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import type {Files} from '../../../src/lib/io/files.js';
import {type Call, watchedFiles} from './watched-files.js';

type Inode = {
	/** Content after a power cut; undefined for a directory. */
	durable: Buffer | undefined;
};

/** Files by path after a power cut. */
export type Remains = ReadonlyMap<string, Buffer | undefined>;

/**
 * A file system that simulates a power cut: a file keeps only synced content, and a directory only the names it had when it was
 * synced. (As in the tests of LevelDB.)
 */
export class LosingPower {
	readonly files: Files;
	/** Number of calls. */
	operations = 0;
	readonly #root: string;
	/** Calls without a lasting effect, which simulate a store that omits them. */
	readonly #forgotten: ReadonlySet<string>;
	readonly #names = new Map<string, Inode>();
	readonly #durableNames = new Map<string, Inode>();
	readonly #changed: () => void;

	/** Calls `changed` before each call that changes the outcome of a power cut. */
	constructor(root: string, changed: () => void, forgotten: readonly string[] = []) {
		this.#root = root;
		this.#changed = changed;
		this.#forgotten = new Set(forgotten);
		this.files = watchedFiles(async (call, proceed) => {
			this.operations++;
			const isNew = call.name === 'mkdir' || !this.#names.has(call.file);
			const result = await proceed();
			this.#follow(call, isNew);
			return result;
		});
	}

	/** Files after a power cut now. */
	remains(): Remains {
		const remains = new Map<string, Buffer | undefined>();
		for (const [file, {durable}] of this.#durableNames) {
			const parent = path.dirname(file);
			if (parent === this.#root || this.#durableNames.has(parent)) {
				remains.set(path.relative(this.#root, file), durable);
			}
		}

		return remains;
	}

	#follow({name, file, args}: Call, isNew: boolean): void {
		if (file === this.#root && name !== 'sync') {
			return;
		}

		if (name === 'mkdir' && !this.#names.has(file)) {
			this.#names.set(file, {durable: undefined});
		} else if (name === 'open' && isNew) {
			this.#names.set(file, {durable: Buffer.alloc(0)});
		} else if (name === 'rename') {
			this.#names.set(String(args[1]), this.#names.get(file) ?? {durable: Buffer.alloc(0)});
			this.#names.delete(file);
		} else if (name === 'unlink') {
			this.#names.delete(file);
		} else if (name === 'sync' || name === 'datasync') {
			this.#sync(name, file);
		}
	}

	#sync(name: string, file: string): void {
		const inode = this.#names.get(file);
		const isDirectory = file === this.#root || inode?.durable === undefined;
		if (this.#forgotten.has(isDirectory ? 'directory sync' : name)) {
			return;
		}

		this.#changed();
		if (isDirectory) {
			this.#syncNames(file);
		} else if (inode) {
			inode.durable = readFileSync(file);
		}
	}

	#syncNames(directory: string): void {
		for (const file of this.#durableNames.keys()) {
			if (path.dirname(file) === directory) {
				this.#durableNames.delete(file);
			}
		}

		for (const [file, inode] of this.#names) {
			if (path.dirname(file) === directory) {
				this.#durableNames.set(file, inode);
			}
		}
	}
}

/** Writes the files after a power cut into a folder. */
export async function restore(remains: Remains, folder: string): Promise<void> {
	for (const [name, bytes] of [...remains].sort(([a], [b]) => a.length - b.length)) {
		if (bytes === undefined) {
			await mkdir(path.join(folder, name), {recursive: true});
		} else {
			await writeFile(path.join(folder, name), bytes);
		}
	}
}
