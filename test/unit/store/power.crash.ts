import {randomBytes} from 'node:crypto';
import {mkdir, readdir} from 'node:fs/promises';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {expectKept, Ledger} from './ledger.js';
import {sized} from './long-form.js';
import {LosingPower, type Remains, restore} from './losing-power.js';

type Moment = {readonly remains: Remains; readonly ledger: Ledger};

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
	async forgotten => {
		const {moments} = await work(60, [forgotten]);
		await expect(expectNothingLost(moments)).rejects.toThrow();
	},
);

/**
 * A run of messages, snapshots included, as a power cut at each of its operations would leave it: only before a sync is
 * what would be left unlike what was left before.
 */
async function work(count: number, forgotten: readonly string[] = []) {
	const dir = await temporaryFolder();
	const moments: Moment[] = [];
	let ledger: Ledger | undefined;
	const disk = new LosingPower(
		dir,
		() => {
			if (ledger) {
				moments.push({remains: disk.remains(), ledger: ledger.copy()});
			}
		},
		forgotten,
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
			// From here until the answer it may be there or not.
			ledger.kept.delete(id);
			await ledger.delete(store, id);
		}

		if (index % 15 === 14) {
			snapshot = await vi.waitFor(async () => newerSnapshot(dir, snapshot), {timeout: 10_000, interval: 10});
		}
	}

	await store.close();
	moments.push({remains: disk.remains(), ledger});
	return {moments, operations: disk.operations};
}

/** The name of the last snapshot, once there is a newer one. */
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
