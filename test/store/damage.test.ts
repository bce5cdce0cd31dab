import {randomBytes} from 'node:crypto';
import {readdir, readFile, rm, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {nodeFiles} from '../../src/store/json/files.js';
import {fold} from '../../src/store/json/fold.js';
import {encodeLine} from '../../src/store/json/line.js';
import {openStore, rememberingLog, temporaryFolder} from './json-fixture.js';
import {expectKept, idsIn, Ledger} from './ledger.js';

const lastSegment = path.join('journal', '000001.jsonl');

describe('a last line that was not written to its end', () => {
	test('is cut off wherever it ends, kept aside, and said once', async () => {
		const {dir, ledger, beforeLast, bytes} = await filled();
		for (let end = beforeLast + 1; end < bytes.length - 1; end++) {
			await writeFile(path.join(dir, lastSegment), bytes.subarray(0, end));
			const {log, said} = rememberingLog();
			const store = await openStore(dir, {log});
			expect((await idsIn(store, ledger)).sort(), `cut at ${end}`).toEqual([...ledger.kept.keys()].sort());
			await store.close();
			expect(said).toEqual([expect.objectContaining({message: expect.stringContaining('was cut off')})]);
			const aside = await readFile(path.join(dir, `${lastSegment}.${beforeLast}.broken`));
			expect(aside.equals(bytes.subarray(beforeLast, end))).toBe(true);
			await rm(path.join(dir, `${lastSegment}.${beforeLast}.broken`));
			expect((await readFile(path.join(dir, lastSegment))).equals(bytes.subarray(0, beforeLast))).toBe(true);
		}

		const store = await openStore(dir);
		await ledger.receive(store, Buffer.from('next'));
		await store.close();
		await expectKept(await openStore(dir), ledger);
	});

	test.each(['nothing but zeros', 'zeros and a line feed'])('is cut off when it is %s', async kind => {
		const {dir, ledger, beforeLast, bytes} = await filled();
		const zeros = Buffer.alloc(bytes.length - beforeLast);
		if (kind !== 'nothing but zeros') {
			zeros[zeros.length - 1] = 10;
		}

		await writeFile(path.join(dir, lastSegment), Buffer.concat([bytes.subarray(0, beforeLast), zeros]));
		const store = await openStore(dir);
		await expectKept(store, ledger);
		await ledger.receive(store, Buffer.from('next'));
		await store.close();
		await expectKept(await openStore(dir), ledger);
	});

	test('is whole when only its line feed is missing', async () => {
		const {dir, ledger, bytes, last} = await filled();
		await truncate(path.join(dir, lastSegment), bytes.length - 1);
		ledger.kept.set(...last);
		const store = await openStore(dir);
		await expectKept(store, ledger);
		await ledger.receive(store, Buffer.from('next'));
		await store.close();
		await expectKept(await openStore(dir), ledger);
	});
});

describe('flipped bits', () => {
	test('in the journal cost the lines they are in and no other', async () => {
		const {dir, ledger, bytes, last} = await filled();
		ledger.kept.set(...last);
		const check = async (flips: readonly Flip[]) => {
			await writeFile(path.join(dir, lastSegment), flipped(bytes, flips));
			const store = await openStore(dir);
			const lost = flips.map(flip => lineAt(bytes, flip)).join();
			const intact = [...ledger.kept.keys()].filter(id => !lost.includes(id) && !lost.includes('"inboxes"'));
			expect(await idsIn(store, ledger)).toEqual(expect.arrayContaining(intact));
			await store.close();
		};
		await fc.assert(fc.asyncProperty(fc.array(someFlip, {minLength: 1, maxLength: 3}), check), {numRuns: 300});
	});

	test('in the last snapshot cost nothing: the one before it serves', async () => {
		const {dir, ledger, snapshot} = await compacted();
		const bytes = await readFile(snapshot);
		const check = async (flip: Flip) => {
			await writeFile(snapshot, flipped(bytes, [flip]));
			const {log, said} = rememberingLog();
			const store = await openStore(dir, {log});
			await expectKept(store, ledger);
			await store.close();
			// A damaged line feed is no damage to what the lines say.
			const warnings = isLineFeed(bytes, flip) ? [] : [expect.stringContaining('Nothing is lost')];
			expect(said.map(({message}) => message)).toEqual(warnings);
		};
		await fc.assert(fc.asyncProperty(someFlip, check), {numRuns: 50});
	});

	test('in every snapshot leave what is intact, and the log says so', async () => {
		const {dir, ledger} = await compacted();
		for (const name of await readdir(path.join(dir, 'snapshots'))) {
			const file = path.join(dir, 'snapshots', name);
			const bytes = await readFile(file);
			bytes.writeUInt8(0, bytes.length - 40);
			await writeFile(file, bytes);
		}

		const {log, said} = rememberingLog();
		const store = await openStore(dir, {log});
		expect(said.map(({level}) => level)).toContain('error');
		await ledger.copy().receive(store, Buffer.from('next'));
	});
});

test('a directory written by a newer version is refused, and nothing in it is touched', async () => {
	for (const name of [path.join('snapshots', '000009.jsonl'), path.join('journal', '000009.jsonl')]) {
		const {dir} = await filled();
		await writeFile(path.join(dir, name), encodeLine(JSON.stringify({version: 99})));
		const before = await contentsOf(dir);
		await expect(openStore(dir)).rejects.toThrow(/format 99.*Install a newer tinbox/);
		expect(await contentsOf(dir)).toEqual(before);
	}
});

test('files and folders are for their owner alone', async () => {
	const {dir} = await compacted();
	for (const name of await readdir(dir, {recursive: true})) {
		const {mode} = await nodeFiles.stat(path.join(dir, name));
		expect((mode & 0o077).toString(8), name).toBe('0');
	}
});

/** A closed store with some messages, which the ledger has but for the last. */
async function filled() {
	const dir = path.join(await temporaryFolder(), 'data');
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	for (let index = 0; index < 12; index++) {
		const id = await ledger.receive(store, randomBytes(20));
		await ledger.describe(store, id);
	}

	await ledger.delete(store, [...ledger.kept.keys()][3] ?? '');
	const beforeLast = (await readFile(path.join(dir, lastSegment))).length;
	const content = randomBytes(20);
	const id = await ledger.receive(store, content);
	ledger.kept.delete(id);
	await store.close();
	const last = [id, content] as const;
	return {dir, ledger, beforeLast, last, bytes: await readFile(path.join(dir, lastSegment))};
}

/** A closed store with two snapshots. */
async function compacted() {
	const dir = path.join(await temporaryFolder(), 'data');
	const store = await openStore(dir, {segmentBytes: 4096, fold: async job => fold(nodeFiles, job)});
	const ledger = await Ledger.open(store);
	const snapshots = async () => (await readdir(path.join(dir, 'snapshots'))).sort();
	while ((await snapshots()).length < 2) {
		const id = await ledger.receive(store, randomBytes(500));
		await ledger.describe(store, id);
	}

	await store.close();
	return {dir, ledger, snapshot: path.join(dir, 'snapshots', (await snapshots()).at(-1) ?? '')};
}

/** A place in a file, as a part of its length, and a bit there. */
type Flip = readonly [place: number, bit: number];

const someFlip: fc.Arbitrary<Flip> = fc.tuple(fc.double({min: 0, max: 0.999_999, noNaN: true}), fc.nat(7));

function offsetIn(bytes: Buffer, [place]: Flip): number {
	return Math.floor(place * bytes.length);
}

function flipped(bytes: Buffer, flips: readonly Flip[]): Buffer {
	const result = Buffer.from(bytes);
	for (const flip of flips) {
		const offset = offsetIn(bytes, flip);
		result.writeUInt8((result[offset] ?? 0) ^ (1 << flip[1]), offset);
	}

	return result;
}

function isLineFeed(bytes: Buffer, flip: Flip): boolean {
	return bytes[offsetIn(bytes, flip)] === 10;
}

/** The line with the place; for a line feed, the line it ends. */
function lineAt(bytes: Buffer, flip: Flip): string {
	const offset = offsetIn(bytes, flip);
	const start = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
	return bytes.toString('latin1', start, bytes.indexOf(10, offset));
}

/** Name and content of every file, but for the lock. */
async function contentsOf(dir: string): Promise<Map<string, string>> {
	const contents = new Map<string, string>();
	for (const name of await readdir(dir, {recursive: true})) {
		if (!name.startsWith('lock')) {
			const content = await readFile(path.join(dir, name), 'latin1').catch(() => 'a folder');
			contents.set(name, content);
		}
	}

	return contents;
}
