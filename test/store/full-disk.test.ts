import {randomBytes} from 'node:crypto';
import {readdirSync, statSync} from 'node:fs';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import type {Files} from '../../src/store/json/files.js';
import {fold} from '../../src/store/json/fold.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {expectKept, Ledger} from './ledger.js';
import {systemError, watchedFiles} from './watched-files.js';

test('a full disk refuses mail, takes deletes, and recovers by them, again and again', {
	retry: 4,
	timeout: 120_000,
}, async () => {
	const dir = await temporaryFolder();
	const files = filesOfDisk(dir, 1_000_000);
	const options = {
		files,
		fold: async (job: Parameters<typeof fold>[1]) => fold(files, job),
		segmentBytes: 65_536,
		reserveBytes: 65_536,
	};
	let store = await openStore(dir, options);
	const ledger = await Ledger.open(store);
	for (let round = 0; round < 5; round++) {
		const refusal = await fill(async () => ledger.receive(store, randomBytes(round % 2 === 0 ? 3000 : 100_000)));
		expect(refusal).toMatchObject({code: 'storage_full', message: expect.stringContaining('ENOSPC')});
		await store.close();
		store = await openStore(dir, options);
		await expectKept(store, ledger);
		for (const id of [...ledger.kept.keys()]) {
			await ledger.delete(store, id);
		}

		await vi.waitFor(async () => ledger.receive(store, randomBytes(3000)), {timeout: 20_000, interval: 20});
		await store.close();
		store = await openStore(dir, options);
		await expectKept(store, ledger);
	}
});

test('this check finds a store that keeps no space back for deletes', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir, {files: filesOfDisk(dir, 300_000), reserveBytes: 0});
	const ledger = await Ledger.open(store);
	await fill(async () => ledger.receive(store, randomBytes(3000)));
	await fill(async () => ledger.receive(store, randomBytes(1)));
	const ids = [...ledger.kept.keys()];
	const refusal = await fill(async () => ledger.delete(store, ids.pop() ?? ''));
	expect(refusal).toMatchObject({code: 'storage_full'});
});

/** Works until it is refused; the refusal. */
async function fill(work: () => Promise<unknown>, times = 10_000): Promise<unknown> {
	for (let time = 0; time < times; time++) {
		try {
			await work();
		} catch (error) {
			return error;
		}
	}

	throw new Error('Nothing was refused.');
}

/** The real file system, but with room for so many bytes. The last write before the end is a short one. */
function filesOfDisk(dir: string, capacity: number): Files {
	return watchedFiles(async ({name, file, args: [bytes, offset, length, position]}, proceed) => {
		if (name !== 'write') {
			return proceed();
		}

		const growth = Math.max(0, Number(position) + Number(length) - statSync(file).size);
		const free = Math.max(0, capacity - bytesIn(dir));
		const fitting = Number(length) - Math.max(0, growth - free);
		if (fitting <= 0) {
			throw systemError('ENOSPC');
		}

		return proceed([bytes, offset, fitting, position]);
	});
}

function bytesIn(dir: string): number {
	const entries = readdirSync(dir, {recursive: true, withFileTypes: true});
	return entries
		.filter(entry => entry.isFile())
		.reduce((bytes, {parentPath, name}) => bytes + statSync(path.join(parentPath, name)).size, 0);
}
