import {randomBytes} from 'node:crypto';
import {readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import {openStore, temporaryFolder} from './json-fixture.js';
import {expectKept, Ledger} from './ledger.js';

const segmentBytes = 64 * 1024;

test('deleted mail gives its space back, and what is left stays as it was', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir, {segmentBytes});
	const ledger = await Ledger.open(store);
	const ids = await Promise.all(Array.from({length: 300}, async () => ledger.receive(store, randomBytes(4000))));
	const full = await bytesIn(path.join(dir, 'journal'));
	expect(full).toBeGreaterThan(300 * 4000);
	await Promise.all(ids.filter((_, index) => index % 10 !== 0).map(async id => ledger.delete(store, id)));
	await vi.waitFor(async () => expect(await bytesIn(path.join(dir, 'journal'))).toBeLessThan(full / 2), {
		timeout: 20_000,
		interval: 20,
	});
	await expectKept(store, ledger);
	await store.close();
	await expectKept(await openStore(dir, {segmentBytes}), ledger);
});

test('mail that is read while its bytes are moved is read whole', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir, {segmentBytes});
	const ledger = await Ledger.open(store);
	for (let round = 0; round < 15; round++) {
		const ids = await Promise.all(Array.from({length: 20}, async () => ledger.receive(store, randomBytes(4000))));
		await Promise.all(ids.slice(1).map(async id => ledger.delete(store, id)));
		await expectKept(store, ledger);
	}

	await expectKept(store, ledger);
});

test('the file of a large mail goes with its last message', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	const id = await ledger.receive(store, randomBytes(200_000));
	expect(await bytesIn(path.join(dir, 'sources'))).toBe(200_000);
	await ledger.delete(store, id);
	await vi.waitFor(async () => expect(await readdir(path.join(dir, 'sources'))).toEqual([]));
});

test('a store that is closed while it compacts is whole', async () => {
	const dir = await temporaryFolder();
	let store = await openStore(dir, {segmentBytes});
	const ledger = await Ledger.open(store);
	for (let round = 0; round < 8; round++) {
		await Promise.all(Array.from({length: 40}, async () => ledger.receive(store, randomBytes(4000))));
		await store.close();
		store = await openStore(dir, {segmentBytes});
		await expectKept(store, ledger);
	}
});

async function bytesIn(folder: string): Promise<number> {
	let bytes = 0;
	for (const name of await readdir(folder)) {
		bytes += (await stat(path.join(folder, name)).catch(() => ({size: 0}))).size;
	}

	return bytes;
}
