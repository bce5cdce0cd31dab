import {randomBytes} from 'node:crypto';
import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {nodeFiles} from '../../../src/lib/io/files.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {Store} from '../../../src/store/port.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {Ledger} from './ledger.js';

/** The first journal segment, relative to the data directory. */
export const lastSegment = path.join('journal', '000001.jsonl');

/** Functions that write the last line, by its kind. */
const lastLines = {
	mail: async (store: Store, ledger: Ledger) => ledger.receive(store, randomBytes(20)),
	patch: async (store: Store, ledger: Ledger) => ledger.rename(store, 'last'),
	deletion: async (store: Store, ledger: Ledger) => ledger.delete(store, anyOf(ledger)),
};

export type LastLine = keyof typeof lastLines;

export type Filled = Awaited<ReturnType<typeof filled>>;

/** Creates a closed store with some messages. `before` is its content before the last line, which starts at `beforeLast`. */
export async function filled(lastLine: LastLine = 'mail') {
	const dir = path.join(await temporaryFolder(), 'data');
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	for (let index = 0; index < 12; index++) {
		const id = await ledger.receive(store, randomBytes(20));
		await ledger.rename(store, id);
	}

	await ledger.delete(store, anyOf(ledger));
	const before = ledger.copy();
	const beforeLast = (await readFile(path.join(dir, lastSegment))).length;
	await lastLines[lastLine](store, ledger);
	await store.close();
	return {dir, before, beforeLast, ledger, bytes: await readFile(path.join(dir, lastSegment))};
}

function anyOf({kept}: Ledger): string {
	return [...kept.keys()][3] ?? '';
}

/** Creates a closed store with two snapshots. */
export async function compacted() {
	const dir = path.join(await temporaryFolder(), 'data');
	const store = await openStore(dir, {segmentBytes: 1024, createSnapshot: async job => createSnapshot(nodeFiles, job)});
	const ledger = await Ledger.open(store);
	const snapshots = async () => (await readdir(path.join(dir, 'snapshots'))).sort();
	while ((await snapshots()).length < 2) {
		const id = await ledger.receive(store, randomBytes(500));
		await ledger.rename(store, id);
	}

	await store.close();
	return {dir, ledger, snapshot: path.join(dir, 'snapshots', (await snapshots()).at(-1) ?? '')};
}
