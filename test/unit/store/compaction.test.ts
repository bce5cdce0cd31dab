import {randomBytes} from 'node:crypto';
import {readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {expect, test, vi} from 'vitest';
import type {PendingBounce} from '../../../src/domain/mail/bounce.js';
import {nodeFiles} from '../../../src/lib/io/files.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {FaultStore} from '../../../src/store/port.js';
import {expectKept, Ledger} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {at, bounced, noon, settle, someDelivery, someEndpoint, someFault, someHit, someInbox} from './rows.js';

const segmentBytes = 64 * 1024;

test('compaction reclaims the space of deleted mail and keeps the other mail unchanged', async () => {
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

test('mail is read completely while compaction moves its bytes', async () => {
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

test('the file of a large mail is removed with its last message', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	const id = await ledger.receive(store, randomBytes(200_000));
	expect(await bytesIn(path.join(dir, 'sources'))).toBe(200_000);
	await ledger.delete(store, id);
	await vi.waitFor(async () => expect(await readdir(path.join(dir, 'sources'))).toEqual([]));
});

test('closing a store during compaction loses nothing', async () => {
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

test('snapshots keep deliveries unchanged, except for dropped responses', async () => {
	const dir = await temporaryFolder();
	let lastSnapshot = 0;
	const store = await openStore(dir, {
		segmentBytes: 1024,
		createSnapshot: async job => {
			const bytes = await createSnapshot(nodeFiles, job);
			lastSnapshot = job.next;
			return bytes;
		},
	});
	await settle(store);
	const ledger = await Ledger.open(store);
	const writeUntilSnapshot = async () => {
		const before = lastSnapshot;
		while (lastSnapshot === before) {
			await ledger.receive(store, randomBytes(500));
		}
	};
	const endpoint = someEndpoint();
	const [older, newer] = [0, 1].map(seconds =>
		someDelivery(endpoint.id, {createdAt: at(seconds), status: 'delivered', nextAttemptAt: null, responseBody: 'ok'}),
	);
	await store.endpoints.create(endpoint);
	await store.deliveries.put([older, newer].filter(delivery => delivery !== undefined));
	await writeUntilSnapshot();
	await store.deliveries.prune(endpoint.id, {keep: 10, since: noon, responseLength: 2});
	await writeUntilSnapshot();
	await store.close();
	const reopened = await openStore(dir);
	const {rows} = await reopened.deliveries.list(endpoint.id, {}, {page: 1, limit: 10});
	expect(rows).toEqual([newer, {...older, responseBody: null}]);
	await expectKept(reopened, ledger);
});

test('snapshots keep the bounces of existing messages', async () => {
	const dir = await temporaryFolder();
	let lastSnapshot = 0;
	const store = await openStore(dir, {
		segmentBytes: 1024,
		createSnapshot: async job => {
			const bytes = await createSnapshot(nodeFiles, job);
			lastSnapshot = job.next;
			return bytes;
		},
	});
	await settle(store);
	const remaining: PendingBounce[] = [];
	let seconds = 0;
	const bounceUntilSnapshot = async () => {
		const before = lastSnapshot;
		while (lastSnapshot === before) {
			remaining.push(await bounced(store, {dueAt: at(seconds++)}));
		}
	};
	await bounceUntilSnapshot();
	const [deleted, sent] = remaining.splice(0, 2);
	await store.messages.delete(deleted?.messageId ?? '');
	for (const {id} of await store.bounces.lease(at(1), {all: 1, ofOne: 1})) {
		expect(id).toBe(sent?.id);
		await store.bounces.finish(id);
	}

	await bounceUntilSnapshot();
	await store.close();
	const {bounces} = await openStore(dir);
	expect(await bounces.lease(at(3600), {all: 1000, ofOne: 1000})).toEqual(remaining);
});

async function bytesIn(folder: string): Promise<number> {
	let bytes = 0;
	for (const name of await readdir(folder)) {
		bytes += (await stat(path.join(folder, name)).catch(() => ({size: 0}))).size;
	}

	return bytes;
}

test('snapshots keep faults, counts and hits, except for deleted ones', async () => {
	const dir = await temporaryFolder();
	let lastSnapshot = 0;
	const store = await openStore(dir, {
		segmentBytes: 1024,
		createSnapshot: async job => {
			const bytes = await createSnapshot(nodeFiles, job);
			lastSnapshot = job.next;
			return bytes;
		},
	});
	await settle(store);
	const [inbox, lost] = [someInbox(), someInbox()];
	await store.inboxes.create(inbox);
	await store.inboxes.create(lost);
	const [remainingFault, deleted, own] = [
		someFault({inboxId: inbox.id, per: 'recipient'}),
		someFault({inboxId: lost.id}),
		someFault({stage: 'connect'}),
	];
	const next = async (faults: FaultStore, id: string, key: string | null) =>
		faults.count(id, key, before => ({count: {...before, seen: before.seen + 1}, result: before.seen}));
	for (const fault of [remainingFault, deleted, own]) {
		await store.faults.create(fault, 100);
		await next(store.faults, fault.id, 'a@b.test');
	}

	let hits = 0;
	const hitUntilSnapshot = async () => {
		const before = lastSnapshot;
		while (lastSnapshot === before) {
			hits++;
			await store.faults.addHit(someHit({inboxId: inbox.id, faultId: remainingFault.id}));
			await store.faults.addHit(someHit({inboxId: lost.id, faultId: deleted.id}));
		}
	};
	await hitUntilSnapshot();
	await store.inboxes.delete(lost.id);
	await hitUntilSnapshot();
	await next(store.faults, remainingFault.id, 'a@b.test');
	await hitUntilSnapshot();
	await store.close();
	const {faults} = await openStore(dir);
	const page = {page: 1, limit: 1};
	expect(await faults.list(inbox.id)).toEqual([{fault: remainingFault, seen: 2, acted: 0}]);
	expect(await faults.list(null)).toEqual([{fault: own, seen: 1, acted: 0}]);
	expect(await next(faults, remainingFault.id, 'a@b.test')).toBe(2);
	expect((await faults.hits({faultId: remainingFault.id}, page)).total).toBe(Math.min(hits, 1000));
	for (const of of [{faultId: deleted.id}, {inboxId: lost.id}]) {
		expect((await faults.hits(of, page)).total).toBe(0);
	}

	expect(await next(faults, deleted.id, 'a@b.test')).toBeUndefined();
});
