import {randomBytes} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import type {Files} from '../../../src/lib/io/files.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import {expectKept, Ledger, sized} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {type Call, watchedFiles} from './watched-files.js';

type Moment = {readonly remains: DurableFiles; readonly ledger: Ledger};

const messages = sized(60, 200);

test('a power cut at any moment loses no acknowledged mail', async ({annotate}) => {
	const {moments, operations} = await work(messages);
	expect(moments.length).toBeGreaterThan(100);
	expect(moments.some(({remains}) => [...remains.keys()].some(name => name.startsWith('snapshots/')))).toBe(true);
	expect(moments.some(({remains}) => !remains.has('journal/000001.jsonl'))).toBe(true);
	await expectNothingLost(moments);
	await annotate(JSON.stringify({messages, operations, states: moments.length, lost: 0}));
});

test.each(['datasync', 'sync', 'directory sync'])(
	'the power-cut check detects a store that omits each %s',
	async omitted => {
		const {moments} = await work(60, [omitted]);
		await expect(expectNothingLost(moments)).rejects.toThrow();
	},
);

/** Stores and deletes messages. Resolves to the durable files before each sync, the only call that changes the outcome of a power cut. */
async function work(count: number, omitted: readonly string[] = []) {
	const dir = await temporaryFolder();
	const moments: Moment[] = [];
	let ledger: Ledger | undefined;
	const disk = new PowerCutDisk(
		dir,
		() => {
			if (ledger) {
				moments.push({remains: disk.durableFiles(), ledger: ledger.copy()});
			}
		},
		omitted,
	);
	const store = await openStore(dir, {
		files: disk.files,
		createSnapshot: async job => createSnapshot(disk.files, job),
		segmentBytes: 2048,
		reserveBytes: 100,
	});
	ledger = await Ledger.open(store);
	let snapshot = '';
	for (let index = 0; index < count; index++) {
		const id = await ledger.receive(store, randomBytes(index % 20 === 7 ? 70_000 : 500));
		if (index % 5 === 1) {
			await ledger.rename(store, id);
		} else {
			// The message may be present or absent until the delete is acknowledged.
			ledger.kept.delete(id);
			await ledger.delete(store, id);
		}

		if (index % 15 === 14) {
			snapshot = await vi.waitFor(async () => newerSnapshot(dir, snapshot), {timeout: 10_000, interval: 10});
		}
	}

	await store.close();
	moments.push({remains: disk.durableFiles(), ledger});
	return {moments, operations: disk.operations};
}

/** Resolves to the name of the last snapshot if it is newer than `known`. */
async function newerSnapshot(dir: string, known: string): Promise<string> {
	const last = (await readdir(path.join(dir, 'snapshots'))).sort().at(-1) ?? '';
	expect(last > known && last.endsWith('.jsonl'), 'there is a newer snapshot').toBe(true);
	return last;
}

async function expectNothingLost(moments: readonly Moment[]): Promise<void> {
	const folder = await temporaryFolder();
	for (const [index, {remains, ledger}] of moments.entries()) {
		const dir = path.join(folder, String(index));
		await mkdir(dir);
		await restore(remains, dir);
		const store = await openStore(dir);
		await expectKept(store, ledger, {orMore: true});
		await store.close();
	}
}

type Inode = {
	/** Content after a power cut; undefined for a directory. */
	durable: Buffer | undefined;
};

/** Files by path after a power cut. */
type DurableFiles = ReadonlyMap<string, Buffer | undefined>;

/**
 * A file system that simulates a power cut: a file keeps only synced content, and a directory only the names it had when it was
 * synced, as in the tests of LevelDB.
 */
class PowerCutDisk {
	readonly files: Files;
	/** Number of calls. */
	operations = 0;
	readonly #root: string;
	/** Calls without a lasting effect, which simulate a store that omits them. */
	readonly #omitted: ReadonlySet<string>;
	readonly #names = new Map<string, Inode>();
	readonly #durableNames = new Map<string, Inode>();
	readonly #changed: () => void;

	/** Calls `changed` before each call that changes the outcome of a power cut. */
	constructor(root: string, changed: () => void, omitted: readonly string[] = []) {
		this.#root = root;
		this.#changed = changed;
		this.#omitted = new Set(omitted);
		this.files = watchedFiles(async (call, proceed) => {
			this.operations++;
			const isNew = call.name === 'mkdir' || !this.#names.has(call.file);
			const result = await proceed();
			this.#follow(call, isNew);
			return result;
		});
	}

	/** Files after a power cut now. */
	durableFiles(): DurableFiles {
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
		if (this.#omitted.has(isDirectory ? 'directory sync' : name)) {
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
async function restore(remains: DurableFiles, folder: string): Promise<void> {
	for (const [name, bytes] of [...remains].sort(([a], [b]) => a.length - b.length)) {
		if (bytes === undefined) {
			await mkdir(path.join(folder, name), {recursive: true});
		} else {
			await writeFile(path.join(folder, name), bytes);
		}
	}
}
