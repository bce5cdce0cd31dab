import {randomBytes} from 'node:crypto';
import {expect, test} from 'vitest';
import type {Store} from '../../src/store/store.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {expectKept, Ledger} from './ledger.js';
import {systemError, type Watch, watchedFiles} from './watched-files.js';

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

const faults: Readonly<Record<string, Watch>> = {
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

const everyFault = Object.entries(faults);

test.each([...everyFault.map(([name, fault]) => [name, 1, fault] as const), ['EIO', 4, failing('EIO')] as const])(
	'%s at any %i calls in a row: memory equals disk, and later writes are taken again',
	async (name, length, fault) => {
		const {calls} = await runWith(0, 0, fault);
		expect(calls).toBeGreaterThan(15);
		let refusals = 0;
		for (let from = 0; from < calls; from++) {
			refusals += (await runWith(from, from + length, fault)).refusals;
		}

		expect(refusals > 0).toBe(name !== 'a short write');
	},
);

test.each(everyFault)('%s while opening: the next opener finds everything', async (_name, fault) => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	await workOn(store, ledger);
	await store.close();
	for (let at = 0; at < 30; at++) {
		let calls = 0;
		const watch: Watch = async (call, proceed) => (calls++ === at ? fault(call, proceed) : proceed());
		const opened = await openStore(dir, {files: watchedFiles(watch)}).catch(() => undefined);
		await opened?.close();
	}

	await expectKept(await openStore(dir), ledger);
});

test('these checks find a store that does not cut off what was refused', async () => {
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

/** Does a little of everything; how much of it was refused. Any failure but `storage_full` fails the test. */
async function workOn(store: Store, ledger: Ledger): Promise<number> {
	let refusals = 0;
	const attempt = async (work: Promise<unknown>) => {
		await work.catch(error => {
			expect(error).toMatchObject({code: 'storage_full'});
			refusals++;
		});
	};

	for (const bytes of [small, large, small]) {
		await attempt(ledger.receive(store, bytes));
	}

	await Promise.all([attempt(ledger.receive(store, small)), attempt(ledger.receive(store, small))]);
	const [first, second] = [...ledger.kept.keys()];
	await attempt(ledger.describe(store, first ?? ''));
	await attempt(ledger.delete(store, second ?? ''));
	return refusals;
}

/** Works on a store whose calls number `from` to `to` (not counted) fail, and compares it with what it acknowledged. */
async function runWith(from: number, to: number, fault: Watch): Promise<{calls: number; refusals: number}> {
	const dir = await temporaryFolder();
	let calls = Number.NEGATIVE_INFINITY;
	const files = watchedFiles(async (call, proceed) => {
		const index = calls++;
		return index >= from && index < to ? fault(call, proceed) : proceed();
	});
	const store = await openStore(dir, {files});
	const ledger = await Ledger.open(store);
	calls = 0;
	const refusals = await workOn(store, ledger);
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
