import {readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {JsonStoreOptions} from '../../../src/store/json/open.js';
import {
	createCompactedStore,
	createFilledStore,
	expectKept,
	type FilledStore,
	idsIn,
	lastSegment,
	sized,
} from './crash-fixture.js';
import {openStore, recordingLog} from './json-fixture.js';
import {watchedFiles} from './watched-files.js';

test('flipped bits in the journal lose only the lines that contain them', async ({annotate}) => {
	const damaged = await createFilledStore();
	const flips = fc.array(someFlip, {minLength: 1, maxLength: 3});
	const check = async (some: readonly Flip[]) => expectIntactRows(damaged, some);
	await fc.assert(fc.asyncProperty(flips, check), {numRuns: sized(300, 1000)});
	await annotate(JSON.stringify({cases: sized(300, 1000), intactLost: 0, refusedToStart: 0}));
});

test('the flipped-bit check detects a store that stops reading at the first damage', async () => {
	const damaged = await createFilledStore();
	const flip: Flip = [0.5, 3];
	const end = offsetIn(damaged.bytes, flip);
	const files = watchedFiles(async ({name, file, args: [buffer, offset, length, position]}, proceed) => {
		const isJournal = name === 'read' && file.endsWith(lastSegment);
		const left = Math.max(0, end - Number(position));
		return isJournal ? proceed([buffer, offset, Math.min(Number(length), left), position]) : proceed();
	});
	await expect(expectIntactRows(damaged, [flip], {files})).rejects.toThrow();
});

test('flipped bits in the last snapshot lose nothing, since the previous one is used', async ({annotate}) => {
	const {dir, ledger, snapshot} = await createCompactedStore();
	const bytes = await readFile(snapshot);
	const check = async (flip: Flip) => {
		await writeFile(snapshot, flipped(bytes, [flip]));
		const {log, entries} = recordingLog();
		const store = await openStore(dir, {log});
		await expectKept(store, ledger);
		await store.close();
		// Damage outside checksums and items is ignored.
		const warnings = isPunctuation(bytes, flip) ? [] : [expect.stringContaining('without data loss')];
		expect(entries.map(({message}) => message)).toEqual(warnings);
	};
	await fc.assert(fc.asyncProperty(someFlip, check), {numRuns: sized(50, 1000)});
	await annotate(JSON.stringify({flips: sized(50, 1000), lost: 0, notLogged: 0}));
});

test('flipped bits in every snapshot are logged and do not prevent the store from opening', async () => {
	const {dir, ledger} = await createCompactedStore();
	for (const name of await readdir(path.join(dir, 'snapshots'))) {
		const file = path.join(dir, 'snapshots', name);
		const bytes = await readFile(file);
		bytes.writeUInt8(0, bytes.length - 40);
		await writeFile(file, bytes);
	}

	const {log, entries} = recordingLog();
	const store = await openStore(dir, {log});
	expect(entries.map(({level}) => level)).toContain('error');
	await ledger.copy().receive(store, Buffer.from('next'));
});

/** Opens a store with flipped bits, and expects all data that is not in a damaged line. */
async function expectIntactRows(
	{dir, ledger, bytes}: FilledStore,
	flips: readonly Flip[],
	options: Partial<JsonStoreOptions> = {},
) {
	await writeFile(path.join(dir, lastSegment), flipped(bytes, flips));
	const store = await openStore(dir, options);
	const lost = flips.map(flip => lineAt(bytes, flip)).join();
	const intact = [...ledger.kept.keys()].filter(id => !lost.includes(id) && !lost.includes('"inboxes"'));
	expect(await idsIn(store, ledger)).toEqual(expect.arrayContaining(intact));
	await store.close();
}

/** A position in a file, as a fraction of its length, and a bit. */
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

/** True if the position is outside the checksum and the items of `["01234567",items]\n`. */
function isPunctuation(bytes: Buffer, flip: Flip): boolean {
	const offset = offsetIn(bytes, flip);
	const start = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
	const end = bytes.indexOf(10, offset);
	return [0, 1, 10, 11].includes(offset - start) || offset >= end - 1;
}

/** The line that contains a position. A line feed belongs to the line before it. */
function lineAt(bytes: Buffer, flip: Flip): string {
	const offset = offsetIn(bytes, flip);
	const start = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
	return bytes.toString('latin1', start, bytes.indexOf(10, offset));
}
