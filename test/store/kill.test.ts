import {randomBytes} from 'node:crypto';
import {cpSync} from 'node:fs';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import {fold} from '../../src/store/json/fold.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {expectKept, Ledger} from './ledger.js';
import {watchedFiles} from './watched-files.js';

/** The files as a kill just before a step leaves them: what was written is there, whether synced or not. */
type Moment = {readonly step: string; readonly dir: string; readonly ledger: Ledger};

/** Calls after which a kill leaves something else, or a power cut does. */
const steps = ['open', 'write', 'datasync', 'sync', 'truncate', 'rename', 'unlink', 'mkdir'];

test('a kill before any step of commit, snapshot and reclaim loses nothing that was acknowledged', async () => {
	const moments = await work();
	expect(moments.map(({step}) => step)).toEqual(
		expect.arrayContaining([
			...['open journal', 'write journal', 'datasync journal', 'sync journal', 'unlink journal'],
			...['open snapshots', 'write snapshots', 'sync snapshots', 'rename snapshots', 'unlink snapshots'],
			...['open sources', 'write sources', 'datasync sources', 'sync sources', 'unlink sources'],
		]),
	);
	await expectNothingLost(moments);
});

test('this check finds a store that reclaims before its snapshot is in place', async () => {
	const moments = await work(async () => 0);
	await expect(expectNothingLost(moments)).rejects.toThrow();
});

/** A run of some 60 messages, snapshots included. */
async function work(makeSnapshot: typeof fold = fold): Promise<Moment[]> {
	const dir = await temporaryFolder();
	const folder = await temporaryFolder();
	const moments: Moment[] = [];
	let ledger: Ledger | undefined;
	const files = watchedFiles(async (call, proceed) => {
		if (ledger && steps.includes(call.name)) {
			const copy = path.join(folder, String(moments.length));
			cpSync(dir, copy, {recursive: true});
			const [kind = ''] = path.relative(dir, call.file).split(path.sep);
			moments.push({step: `${call.name} ${kind}`, dir: copy, ledger: ledger.copy()});
		}

		return proceed();
	});
	const store = await openStore(dir, {
		files,
		fold: async job => makeSnapshot(files, job),
		segmentBytes: 8192,
		reserveBytes: 100,
	});
	ledger = await Ledger.open(store);
	for (let index = 0; index < 60; index++) {
		const id = await ledger.receive(store, randomBytes(index % 20 === 7 ? 70_000 : 500));
		if (index % 5 === 1) {
			await ledger.describe(store, id);
		} else {
			// From here until the answer it may be there or not.
			ledger.kept.delete(id);
			await ledger.delete(store, id);
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
