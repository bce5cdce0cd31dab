import {randomBytes} from 'node:crypto';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import type {Files} from '../../../src/lib/io/files.js';
import type {JsonStoreOptions} from '../../../src/store/json/open.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {Store} from '../../../src/store/port.js';
import {compacted} from './closed-stores.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {expectKept, Ledger} from './ledger.js';
import {sized} from './long-form.js';
import {stepOf, systemError, type Watch, watchedFiles} from './watched-files.js';

const small = Buffer.from('Subject: small\r\n\r\n');
const large = randomBytes(80_000);

const failing =
	(code: string): Watch =>
	async ({name}, proceed) => {
		if (name === 'close') {
			return proceed();
		}

		throw systemError(code);
	};

const failures: Readonly<Record<string, Watch>> = {
	ENOSPC: failing('ENOSPC'),
	EIO: failing('EIO'),
	EMFILE: failing('EMFILE'),
	'EIO although it was done': async ({name}, proceed) => {
		const result = await proceed();
		if (['write', 'datasync', 'sync', 'rename', 'unlink', 'truncate'].includes(name)) {
			throw systemError('EIO');
		}

		return result;
	},
	'a short write': async ({name, args: [bytes, offset, length, position]}, proceed) =>
		name === 'write' ? proceed([bytes, offset, Math.ceil(Number(length) / 2), position]) : proceed(),
};

const everyFailure = Object.entries(failures);

const lengths = sized([1], [1, 2, 4, 8]);
const cases = [
	...everyFailure.flatMap(([name, failure]) => lengths.map(length => [name, length, failure] as const)),
	...sized([['EIO', 4, failing('EIO')] as const], []),
];

test.for(cases)(
	'after %s at any %i consecutive calls, memory equals disk and later writes succeed',
	async ([name, length, failure], {annotate}) => {
		const {calls} = await runWith(workOn, 0, 0, failure);
		expect(calls).toBeGreaterThan(15);
		let refusals = 0;
		for (let from = 0; from < calls; from++) {
			refusals += (await runWith(workOn, from, from + length, failure)).refusals;
		}

		expect(refusals > 0).toBe(name !== 'a short write');
		await annotate(JSON.stringify({cases: calls, refusals, lost: 0, shownThoughRefused: 0}));
	},
);

test.for(everyFailure)(
	'after %s at any call during a snapshot or compaction, memory equals disk',
	async ([, failure], {annotate}) => {
		const {calls} = await runWith(compact, 0, 0, failure);
		expect(calls).toBeGreaterThan(100);
		const every = sized(60, 1);
		for (let from = 0; from < calls; from += every) {
			await runWith(compact, from, from + 1, failure);
		}

		await annotate(JSON.stringify({cases: Math.ceil(calls / every), lost: 0, shownThoughRefused: 0}));
	},
);

test.each(everyFailure)('%s while the store opens loses nothing for the next process', async (_name, failure) => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	await workOn(store, ledger);
	await store.close();
	for (let at = 0; at < 30; at++) {
		let calls = 0;
		const watch: Watch = async (call, proceed) => (calls++ === at ? failure(call, proceed) : proceed());
		const opened = await openStore(dir, {files: watchedFiles(watch)}).catch(() => undefined);
		await opened?.close();
	}

	await expectKept(await openStore(dir), ledger);
});

test('a snapshot that cannot be created leaves no open descriptor', async () => {
	const {dir, snapshot} = await compacted();
	let descriptors = 0;
	const files = watchedFiles(async ({name, file}, proceed) => {
		if (name === 'open' && file.endsWith('.tmp')) {
			throw systemError('EMFILE');
		}

		descriptors += {open: 1, close: -1}[name] ?? 0;
		return proceed();
	});
	const base = Number(path.basename(snapshot, '.jsonl'));
	await expect(createSnapshot(files, {dir, base, next: base + 1, maxBytes: 1_000_000})).rejects.toThrow('EMFILE');
	expect(descriptors).toBe(0);
});

test('the failing-call checks detect a store that does not cut off failed writes', async () => {
	const dir = await temporaryFolder();
	let isBroken = false;
	const files = watchedFiles(async ({name}, proceed) => {
		if (isBroken && name === 'truncate') {
			return undefined;
		}

		const result = await proceed();
		if (isBroken && name === 'datasync') {
			throw systemError('EIO');
		}

		return result;
	});
	const store = await openStore(dir, {files});
	const ledger = await Ledger.open(store);
	await ledger.receive(store, small);
	isBroken = true;
	await expect(ledger.receive(store, small)).rejects.toMatchObject({code: 'storage_full'});
	await store.close();
	await expect(expectKept(await openStore(dir), ledger)).rejects.toThrow('to deeply equal');
});

/** Does a little of everything; how much of it was refused. */
async function workOn(store: Store, ledger: Ledger): Promise<number> {
	const refusals: number[] = [];
	for (const bytes of [small, large, small]) {
		refusals.push(await refused(ledger.receive(store, bytes)));
	}

	refusals.push(...(await Promise.all([small, small].map(async bytes => refused(ledger.receive(store, bytes))))));
	const [first, second] = [...ledger.kept.keys()];
	refusals.push(await refused(ledger.rename(store, first ?? '')));
	refusals.push(await refused(ledger.delete(store, second ?? '')));
	return sum(refusals);
}

/** Has the store make snapshots and remove older ones, and segments; how much else was refused meanwhile. */
async function compact(store: Store, ledger: Ledger, steps: ReadonlySet<string>): Promise<number> {
	const refusals: number[] = [];
	let round = 0;
	const hasMadeRoom = async () => {
		refusals.push(await refused(ledger.receive(store, randomBytes(500))));
		const newest = [...ledger.kept.keys()].at(-1) ?? '';
		refusals.push(round++ % 8 === 0 ? 0 : await refused(ledger.delete(store, newest)));
		expect([...steps]).toEqual(expect.arrayContaining(['unlink journal', 'unlink snapshots']));
	};
	await vi.waitFor(hasMadeRoom, {timeout: 20_000, interval: 5});
	return sum(refusals);
}

/** 1 when it was refused, else 0. Any failure but `storage_full` fails the test. */
async function refused(work: Promise<unknown>): Promise<number> {
	return work.then(
		() => 0,
		error => {
			expect(error).toMatchObject({code: 'storage_full'});
			return 1;
		},
	);
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

/** For `compact`: a handful of mails brings about snapshots, and these are made on the files that are watched. */
const compacting = (files: Files): Partial<JsonStoreOptions> => ({
	createSnapshot: async job => createSnapshot(files, job),
	segmentBytes: 768,
	reserveBytes: 100,
});

/** Works on a store whose calls number `from` to `to` (not counted) fail, and compares it with what it acknowledged. */
async function runWith(
	work: typeof workOn | typeof compact,
	from: number,
	to: number,
	failure: Watch,
): Promise<{calls: number; refusals: number}> {
	const dir = await temporaryFolder();
	const steps = new Set<string>();
	let calls = Number.NEGATIVE_INFINITY;
	const files = watchedFiles(async (call, proceed) => {
		steps.add(stepOf(call, dir) ?? '');
		const index = calls++;
		return index >= from && index < to ? failure(call, proceed) : proceed();
	});
	const store = await openStore(dir, {files, ...(work === compact && compacting(files))});
	const ledger = await Ledger.open(store);
	calls = 0;
	const refusals = await work(store, ledger, steps);
	const made = calls;
	calls = Number.NEGATIVE_INFINITY;
	await expectKept(store, ledger);
	await ledger.receive(store, small);
	await store.close();

	const reopened = await openStore(dir);
	await expectKept(reopened, ledger);
	await reopened.close();
	return {calls: made, refusals};
}
