import {readFile, rm, truncate, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {JsonStoreOptions} from '../../../src/store/json/open.js';
import {
	createFilledStore,
	expectKept,
	type FilledStore,
	idsIn,
	type LastLine,
	lastSegment,
	sized,
} from './crash-fixture.js';
import {openStore, recordingLog} from './json-fixture.js';
import {watchedFiles} from './watched-files.js';

describe('an incomplete last line of the journal', () => {
	test.for<LastLine>(sized(['mail'], ['mail', 'patch', 'deletion']))(
		'an incomplete last line with a %s is removed at any length, saved to a file and logged once',
		async (kind, {annotate}) => {
			const damaged = await createFilledStore(kind);
			const {dir, before, beforeLast, bytes} = damaged;
			for (let end = beforeLast + 1; end < bytes.length - 1; end++) {
				await expectRemoved(damaged, end);
			}

			const store = await openStore(dir);
			await before.receive(store, Buffer.from('next'));
			await store.close();
			await expectKept(await openStore(dir), before);
			await annotate(JSON.stringify({cuts: bytes.length - 2 - beforeLast, lost: 0, notRemoved: 0}));
		},
	);

	test('the torn-line check detects a store that keeps an incomplete last line', async () => {
		const damaged = await createFilledStore();
		const files = watchedFiles(async ({name}, proceed) => (name === 'truncate' ? undefined : proceed()));
		await expect(expectRemoved(damaged, damaged.bytes.length - 9, {files})).rejects.toThrow();
	});

	test.each(['only zeros', 'zeros and a line feed'])('a last line of %s is removed', async kind => {
		const {dir, before, beforeLast, bytes} = await createFilledStore();
		const zeros = Buffer.alloc(bytes.length - beforeLast);
		if (kind !== 'only zeros') {
			zeros[zeros.length - 1] = 10;
		}

		await writeFile(path.join(dir, lastSegment), Buffer.concat([bytes.subarray(0, beforeLast), zeros]));
		const store = await openStore(dir);
		await expectKept(store, before);
		await before.receive(store, Buffer.from('next'));
		await store.close();
		await expectKept(await openStore(dir), before);
	});

	test('a last line without its line feed is kept', async () => {
		const {dir, ledger, bytes} = await createFilledStore();
		await truncate(path.join(dir, lastSegment), bytes.length - 1);
		const store = await openStore(dir);
		await expectKept(store, ledger);
		await ledger.receive(store, Buffer.from('next'));
		await store.close();
		await expectKept(await openStore(dir), ledger);
	});
});

/** Opens a store whose last line ends early, and expects that the line is removed. */
async function expectRemoved(
	{dir, before, beforeLast, bytes}: FilledStore,
	end: number,
	options: Partial<JsonStoreOptions> = {},
): Promise<void> {
	await writeFile(path.join(dir, lastSegment), bytes.subarray(0, end));
	const {log, entries} = recordingLog();
	const store = await openStore(dir, {...options, log});
	expect((await idsIn(store, before)).sort(), `cut at ${end}`).toEqual([...before.kept.keys()].sort());
	await store.close();
	expect(entries).toEqual([expect.objectContaining({message: expect.stringContaining('was truncated')})]);
	const aside = path.join(dir, `${lastSegment}.${beforeLast}.broken`);
	expect((await readFile(aside)).equals(bytes.subarray(beforeLast, end))).toBe(true);
	await rm(aside);
	expect((await readFile(path.join(dir, lastSegment))).equals(bytes.subarray(0, beforeLast))).toBe(true);
}
