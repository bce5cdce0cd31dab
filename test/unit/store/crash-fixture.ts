import {randomBytes} from 'node:crypto';
import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';
import {expect} from 'vitest';
import {nodeFiles} from '../../../src/lib/io/files.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {Store} from '../../../src/store/port.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {readSource, receive, someInbox, someUser} from './rows.js';

/** The acknowledged content of a store. */
export class Ledger {
	/** Bytes of the existing messages by id. */
	readonly kept = new Map<string, Buffer>();
	/** Ids of deleted messages. */
	readonly deleted = new Set<string>();
	readonly inboxId: string;

	constructor(inboxId: string) {
		this.inboxId = inboxId;
	}

	static async open(store: Store): Promise<Ledger> {
		const owner = someUser();
		const inbox = someInbox({ownerId: owner.id});
		await store.users.create(owner);
		await store.inboxes.create(inbox);
		return new Ledger(inbox.id);
	}

	async receive(store: Store, bytes: Buffer): Promise<string> {
		const {id} = await receive(store, this.inboxId, {bytes});
		this.kept.set(id, bytes);
		return id;
	}

	/** Makes a change without a source. */
	async rename(store: Store, name: string): Promise<void> {
		await store.inboxes.update(this.inboxId, {name});
	}

	async delete(store: Store, id: string): Promise<void> {
		await store.messages.delete(id);
		this.kept.delete(id);
		this.deleted.add(id);
	}

	copy(): Ledger {
		const copy = new Ledger(this.inboxId);
		for (const [id, bytes] of this.kept) {
			copy.kept.set(id, bytes);
		}

		for (const id of this.deleted) {
			copy.deleted.add(id);
		}

		return copy;
	}
}

/** Ids of all messages in the inbox of the ledger. */
export async function idsIn(store: Store, {inboxId}: Ledger): Promise<string[]> {
	const messages = await store.messages.list(inboxId, {}, {page: 1, limit: 100_000});
	return messages.map(({id}) => id);
}

/** Expects the content of the ledger in the store and, unless more is allowed, nothing else. */
export async function expectKept(store: Store, ledger: Ledger, {orMore = false} = {}): Promise<void> {
	const ids = await idsIn(store, ledger);
	const expected = [...ledger.kept.keys()];
	expect(orMore ? ids.filter(id => ledger.kept.has(id)).sort() : ids.sort()).toEqual(expected.sort());
	expect(ids.filter(id => ledger.deleted.has(id))).toEqual([]);
	for (const [id, bytes] of ledger.kept) {
		const message = await store.messages.get(id);
		const source = await readSource(store, message?.sourceId ?? '');
		expect(source?.equals(bytes), `the bytes of message ${id}`).toBe(true);
	}
}

/** The first journal segment, relative to the data directory. */
export const lastSegment = path.join('journal', '000001.jsonl');

/** Functions that write the last line, by its kind. */
const lastLines = {
	mail: async (store: Store, ledger: Ledger) => ledger.receive(store, randomBytes(20)),
	patch: async (store: Store, ledger: Ledger) => ledger.rename(store, 'last'),
	deletion: async (store: Store, ledger: Ledger) => ledger.delete(store, anyOf(ledger)),
};

export type LastLine = keyof typeof lastLines;

export type FilledStore = Awaited<ReturnType<typeof createFilledStore>>;

/** Creates a closed store with some messages. `before` is its content before the last line, which starts at `beforeLast`. */
export async function createFilledStore(lastLine: LastLine = 'mail') {
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
export async function createCompactedStore() {
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

/** Selects `long` for `npm run test:crash`, otherwise `short`. */
export function sized<T>(short: T, long: T): T {
	return process.env['LONG_FORM'] === undefined ? short : long;
}
