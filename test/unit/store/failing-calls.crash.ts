import {randomBytes} from 'node:crypto';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import type {Files} from '../../../src/lib/io/files.js';
import type {JsonStoreOptions} from '../../../src/store/json/open.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {Store} from '../../../src/store/port.js';
import {createCompactedStore, expectKept, Ledger, sized} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';
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
	'EIO after a successful call': async ({name}, proceed) => {
		const result = await proceed();
		if (['write', 'datasync', 'sync', 'rename', 'unlink', 'truncate'].includes(name)) {
			throw systemError('EIO');
		}

		return result;
	},
	'a short write': async ({name, args: [bytes, offset, length, position]}, proceed) =>
		name === 'write' ? proceed([bytes, offset, Math.ceil(Number(length) / 2), position]) : proceed(),
};

const failureCases = Object.entries(failures);

const lengths = sized([1], [1, 2, 4, 8]);
const cases = [
	...failureCases.flatMap(([name, failure]) => lengths.map(length => [name, length, failure] as const)),
	...sized([['EIO', 4, failing('EIO')] as const], []),
];

test.for(cases)(
	'after %s at any %i consecutive file system calls, memory equals disk and later writes succeed',
	async ([name, length, failure], {annotate}) => {
		const {calls} = await runWith(changeStore, 0, 0, failure);
		expect(calls).toBeGreaterThan(15);
		let refusals = 0;
		for (let from = 0; from < calls; from++) {
			refusals += (await runWith(changeStore, from, from + length, failure)).refusals;
		}

		expect(refusals > 0).toBe(name !== 'a short write');
		await annotate(JSON.stringify({cases: calls, refusals, lost: 0, visibleAfterRejection: 0}));
	},
);

test.for(failureCases)(
	'after %s at any file system call of a snapshot or compaction, memory equals disk',
	async ([, failure], {annotate}) => {
		const {calls} = await runWith(compact, 0, 0, failure);
		expect(calls).toBeGreaterThan(100);
		const every = sized(60, 1);
		for (let from = 0; from < calls; from += every) {
			await runWith(compact, from, from + 1, failure);
		}

		await annotate(JSON.stringify({cases: Math.ceil(calls / every), lost: 0, visibleAfterRejection: 0}));
	},
);

test.each(failureCases)('%s while the store opens loses no data', async (_name, failure) => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	await changeStore(store, ledger);
	await store.close();
	for (let at = 0; at < 30; at++) {
		let calls = 0;
		const watch: Watch = async (call, proceed) => (calls++ === at ? failure(call, proceed) : proceed());
		const opened = await openStore(dir, {files: watchedFiles(watch)}).catch(() => undefined);
		await opened?.close();
	}

	await expectKept(await openStore(dir), ledger);
});

test('a failed snapshot leaves no open file descriptor', async () => {
	const {dir, snapshot} = await createCompactedStore();
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

/** Makes changes of every kind. Resolves to the number of rejected changes. */
async function changeStore(store: Store, ledger: Ledger): Promise<number> {
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

/** Changes the store until it has removed old snapshots and segments. Resolves to the number of rejected changes. */
async function compact(store: Store, ledger: Ledger, steps: ReadonlySet<string>): Promise<number> {
	const refusals: number[] = [];
	let round = 0;
	const changeUntilCompacted = async () => {
		refusals.push(await refused(ledger.receive(store, randomBytes(500))));
		const newest = [...ledger.kept.keys()].at(-1) ?? '';
		refusals.push(round++ % 8 === 0 ? 0 : await refused(ledger.delete(store, newest)));
		expect([...steps]).toEqual(expect.arrayContaining(['unlink journal', 'unlink snapshots']));
	};
	await vi.waitFor(changeUntilCompacted, {timeout: 20_000, interval: 5});
	return sum(refusals);
}

/** Resolves to 1 if the change was rejected with `storage_full`, otherwise to 0. */
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

/** Options for `compact`: frequent snapshots on the watched files. */
const compacting = (files: Files): Partial<JsonStoreOptions> => ({
	createSnapshot: async job => createSnapshot(files, job),
	segmentBytes: 768,
	reserveBytes: 100,
});

/** Works on a store whose file system calls from `from` up to `to` (exclusive) fail, and compares it with the acknowledged content. */
async function runWith(
	work: typeof changeStore | typeof compact,
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
