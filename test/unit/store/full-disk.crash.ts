import {randomBytes} from 'node:crypto';
import {readdirSync, statSync} from 'node:fs';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import type {Files} from '../../../src/lib/io/files.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import {expectKept, Ledger} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {systemError, watchedFiles} from './watched-files.js';

test('a full disk rejects mail, accepts deletes, and recovers repeatedly', async () => {
	const {dir, options} = await disk(1_000_000);
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

test('a disk filled completely by other programs accepts deletes and recovers', async () => {
	for (let round = 0; round < 5; round++) {
		const {dir, options, fillUp} = await disk(1_000_000);
		const store = await openStore(dir, options);
		const ledger = await Ledger.open(store);
		for (let count = 0; count < 100; count++) {
			await ledger.receive(store, randomBytes(3000));
		}

		fillUp();
		await fill(async () => ledger.receive(store, randomBytes(3000)));
		for (const id of [...ledger.kept.keys()]) {
			await ledger.delete(store, id);
		}

		await vi.waitFor(async () => ledger.receive(store, randomBytes(3000)), {timeout: 20_000, interval: 20});
		await expectKept(store, ledger);
	}
});

test('a full disk has free space after the deletion of some mail in any segment', async () => {
	const {dir, options} = await disk(2_000_000);
	const store = await openStore(dir, options);
	const ledger = await Ledger.open(store);
	for (let round = 0; round < 3; round++) {
		await fill(async () => ledger.receive(store, randomBytes(3000)));
		for (const id of [...ledger.kept.keys()].filter((_, index) => index % 3 === 0)) {
			await ledger.delete(store, id);
		}

		for (let count = 0; count < 20; count++) {
			await vi.waitFor(async () => ledger.receive(store, randomBytes(3000)), {timeout: 20_000, interval: 20});
		}
	}

	await expectKept(store, ledger);
});

test('the full-disk check detects a store without a reserve for deletes', async () => {
	const {dir, options, fillUp} = await disk(300_000);
	const store = await openStore(dir, {...options, reserveBytes: 0});
	const ledger = await Ledger.open(store);
	await ledger.receive(store, randomBytes(3000));
	fillUp();
	const ids = [...ledger.kept.keys()];
	const refusal = await fill(async () => ledger.delete(store, ids.pop() ?? ''));
	expect(refusal).toMatchObject({code: 'storage_full'});
});

/** Creates a folder on a disk with limited space, and the store options for it. */
async function disk(capacity: number) {
	const dir = await temporaryFolder();
	const room = {bytes: capacity};
	const files = filesOfDisk(dir, room);
	const options = {
		files,
		createSnapshot: async (job: Parameters<typeof createSnapshot>[1]) => createSnapshot(files, job),
		segmentBytes: 65_536,
		reserveBytes: 65_536,
	};
	const fillUp = () => {
		room.bytes = bytesIn(dir);
	};
	return {dir, options, fillUp};
}

/** Repeats work until it rejects, and resolves to the error. */
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

/** The real file system with limited space. The last successful write is a short one. */
function filesOfDisk(dir: string, room: {readonly bytes: number}): Files {
	return watchedFiles(async ({name, file, args: [bytes, offset, length, position]}, proceed) => {
		if (name !== 'write' && name !== 'statfs') {
			return proceed();
		}

		const free = Math.max(0, room.bytes - bytesIn(dir));
		if (name === 'statfs') {
			return {bsize: 1, blocks: room.bytes, bavail: free};
		}

		const growth = Math.max(0, Number(position) + Number(length) - statSync(file).size);
		const fitting = Number(length) - Math.max(0, growth - free);
		if (fitting <= 0) {
			throw systemError('ENOSPC');
		}

		return proceed([bytes, offset, fitting, position]);
	});
}

/** Total size of all files. Files that are removed meanwhile count as empty. */
function bytesIn(dir: string): number {
	const entries = readdirSync(dir, {recursive: true, withFileTypes: true});
	return entries
		.filter(entry => entry.isFile())
		.reduce(
			(bytes, {parentPath, name}) =>
				bytes + (statSync(path.join(parentPath, name), {throwIfNoEntry: false})?.size ?? 0),
			0,
		);
}
