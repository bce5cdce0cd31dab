import {randomBytes} from 'node:crypto';
import {cpSync} from 'node:fs';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import {Mutex} from '../../../src/lib/queue/mutex.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import {expectKept, Ledger, sized} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {stepOf, watchedFiles} from './watched-files.js';

/** Copy of the files as a kill directly before a step leaves them, with and without sync. */
type Moment = {readonly step: string; readonly dir: string; readonly ledger: Ledger};

const messages = sized(60, 200);

test('a kill before any step of commit, snapshot and compaction loses no acknowledged mail', async ({annotate}) => {
	const moments = await work(messages);
	const steps = new Set(moments.map(({step}) => step));
	expect([...steps]).toEqual(
		expect.arrayContaining([
			...['open journal', 'write journal', 'datasync journal', 'sync journal', 'unlink journal'],
			...['open snapshots', 'write snapshots', 'sync snapshots', 'rename snapshots', 'unlink snapshots'],
			...['open sources', 'write sources', 'datasync sources', 'sync sources', 'unlink sources'],
		]),
	);
	await expectNothingLost(moments);
	await annotate(JSON.stringify({messages, steps: steps.size, kills: moments.length, lost: 0}));
});

test('the kill check detects a store that removes segments before its snapshot is durable', async () => {
	const moments = await work(60, async () => 0);
	await expect(expectNothingLost(moments)).rejects.toThrow();
});

/** Stores and deletes messages, and copies the files before each step. */
async function work(count: number, makeSnapshot: typeof createSnapshot = createSnapshot): Promise<Moment[]> {
	const dir = await temporaryFolder();
	const folder = await temporaryFolder();
	const moments: Moment[] = [];
	let ledger: Ledger | undefined;
	let snapshots = 0;
	// Serializes the calls, since the files must not change during a copy.
	const turns = new Mutex();
	const files = watchedFiles(async (call, proceed) =>
		turns.run(async () => {
			const step = stepOf(call, dir);
			if (ledger && step !== undefined) {
				const copy = path.join(folder, String(moments.length));
				cpSync(dir, copy, {recursive: true});
				moments.push({step, dir: copy, ledger: ledger.copy()});
			}

			return proceed();
		}),
	);
	const store = await openStore(dir, {
		files,
		createSnapshot: async job => {
			const bytes = await makeSnapshot(files, job);
			snapshots += 1;
			return bytes;
		},
		segmentBytes: 2048,
		reserveBytes: 100,
	});
	ledger = await Ledger.open(store);
	for (let index = 0; index < count; index++) {
		const id = await ledger.receive(store, randomBytes(index % 20 === 7 ? 70_000 : 500));
		if (index % 5 === 1) {
			await ledger.rename(store, id);
		} else {
			// The message may be present or absent until the delete is acknowledged.
			ledger.kept.delete(id);
			await ledger.delete(store, id);
		}

		if (index % 20 === 19) {
			const before = snapshots;
			await vi.waitFor(() => expect(snapshots).toBeGreaterThan(before), {timeout: 10_000, interval: 10});
		}
	}

	const reclaims = () => moments.filter(({step}) => step === 'unlink journal').length;
	await vi.waitFor(() => expect(reclaims()).toBeGreaterThan(0), {timeout: 10_000, interval: 10});
	await store.close();
	return moments;
}

async function expectNothingLost(moments: readonly Moment[]): Promise<void> {
	for (const {step, dir, ledger} of moments) {
		const store = await openStore(dir);
		await expectKept(store, ledger, {orMore: true}).catch((error: unknown) => {
			throw new Error(`After a kill before "${step}" something is lost.`, {cause: error});
		});
		await store.close();
	}
}
