import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Message} from '../../../src/domain/mail/message.js';
import type {Delivery} from '../../../src/domain/webhooks/delivery.js';
import {eventBody} from '../../../src/domain/webhooks/request.js';
import {nodeFiles} from '../../../src/lib/io/files.js';
import {DataDir} from '../../../src/store/json/data-dir.js';
import {decodeLine, encodeLine} from '../../../src/store/json/lines.js';
import {recover} from '../../../src/store/json/recovery.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {Store} from '../../../src/store/port.js';
import {Ledger} from './crash-fixture.js';
import {openStore, recordingLog, temporaryFolder} from './json-fixture.js';
import {settle, someDelivery, someEndpoint, someInbox, someMessage, someSummary, stage} from './rows.js';

const firstPage = {page: 1, limit: 100};
const subject = 'text of the shared body';

/** Stores a mail to two inboxes of a user with sixty endpoints. */
async function announced(store: Store) {
	const inboxes = [someInbox(), someInbox()];
	const endpoints = Array.from({length: 60}, () => someEndpoint());
	const source = await stage(store, Buffer.from('mail'));
	const messages = inboxes.map(({id}) => someMessage(id, source, {summary: someSummary({subject})}));
	const deliveries = messages.flatMap(message =>
		endpoints.map(({id}) => someDelivery(id, {messageId: message.id, body: eventBody(message)})),
	);
	for (const inbox of inboxes) {
		await store.inboxes.create(inbox);
	}

	for (const endpoint of endpoints) {
		await store.endpoints.create(endpoint);
	}

	await store.messages.add({source, messages, deliveries});
	return {messages, endpoints, deliveries};
}

/** Number of occurrences of a text in the files of a folder. */
async function countIn(folder: string, text: string): Promise<number> {
	const files = await Promise.all((await readdir(folder)).map(name => readFile(path.join(folder, name), 'utf8')));
	return files.join('').split(text).length - 1;
}

function withoutBodies(line: string): Buffer {
	const [rows] = decodeLine(Buffer.from(line)) ?? [];
	return encodeLine(JSON.stringify(Array.isArray(rows) ? rows.filter(([, table]) => table !== 'bodies') : rows));
}

/** Opens a store with small segments. `compact` writes until a snapshot contains all previous writes. */
async function openCompacting(dir: string) {
	let newest = 0;
	let begun = 0;
	let done = 0;
	const store = await openStore(dir, {
		segmentBytes: 1024,
		createSnapshot: async job => {
			const number = ++begun;
			const bytes = await createSnapshot(nodeFiles, job);
			newest = job.next;
			done = number;
			return bytes;
		},
	});
	await settle(store);
	const ledger = await Ledger.open(store);
	const compact = async () => {
		for (const before = begun; done <= before; ) {
			await ledger.receive(store, Buffer.alloc(500, 'x'));
		}
	};
	return {store, compact, newest: () => path.join(dir, 'snapshots', `${String(newest).padStart(6, '0')}.jsonl`)};
}

test('the journal contains a body that many deliveries share once, also after they were sent', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	await settle(store);
	const {deliveries} = await announced(store);
	const sent = {status: 'delivered', nextAttemptAt: null, attempts: 1} as const;
	await store.deliveries.put(deliveries.map(delivery => ({...delivery, ...sent})));
	expect(await store.deliveries.get(deliveries[70]?.id ?? '')).toEqual({...deliveries[70], ...sent});
	await store.close();
	// The subject is also in the summary of each message.
	expect(await countIn(path.join(dir, 'journal'), subject)).toBe(2 + 2);
	const again = await openStore(dir);
	for (const delivery of deliveries) {
		expect(await again.deliveries.get(delivery.id)).toEqual({...delivery, ...sent});
	}
});

test('a snapshot contains a shared body once, also without its messages, until the last delivery is deleted', async () => {
	const dir = await temporaryFolder();
	const {store, compact, newest} = await openCompacting(dir);
	const {messages, endpoints, deliveries} = await announced(store);
	for (const {id} of messages) {
		await store.messages.delete(id);
	}

	await compact();
	expect((await readFile(newest(), 'utf8')).split(subject)).toHaveLength(2 + 1);
	const [last, ...others] = endpoints;
	for (const {id} of others) {
		await store.endpoints.delete(id);
	}

	await compact();
	expect((await readFile(newest(), 'utf8')).split(subject)).toHaveLength(2 + 1);
	const {rows} = await store.deliveries.list(last?.id ?? '', {}, firstPage);
	expect(rows).toEqual([deliveries[60], deliveries[0]]);
	await store.endpoints.delete(last?.id ?? '');
	await compact();
	expect(await readFile(newest(), 'utf8')).not.toContain(subject);
});

test('after any sequence of deletes and restarts, each delivery has its body, and no unused body is kept', async () => {
	const step = fc.oneof(
		fc.record({add: fc.subarray([0, 1, 2, 3], {minLength: 1}), text: fc.constantFrom('one', 'other')}),
		fc.record({finish: fc.nat(20), keep: fc.nat(4)}),
		fc.record({message: fc.nat(20)}),
		fc.record({endpoint: fc.nat(3)}),
		fc.constant('reopen' as const),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(step, {maxLength: 12}), async steps => {
			const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-bodies-'));
			const open = async () =>
				openStore(dir, {segmentBytes: 1024, createSnapshot: async job => createSnapshot(nodeFiles, job)});
			let store = await open();
			await settle(store);
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const endpoints = [someEndpoint(), someEndpoint(), someEndpoint(), someEndpoint()];
			for (const endpoint of endpoints) {
				await store.endpoints.create(endpoint);
			}

			const created: Delivery[] = [];
			const messages: Message[] = [];
			for (const each of steps) {
				if (each === 'reopen') {
					await store.close();
					store = await open();
				} else if ('add' in each) {
					const source = await stage(store, Buffer.alloc(500, 'x'));
					const message = someMessage(inbox.id, source);
					const body = `${each.text} ${message.id}`;
					const deliveries = each.add.map(at => someDelivery(endpoints[at]?.id ?? '', {messageId: message.id, body}));
					await store.messages.add({source, messages: [message], deliveries});
					messages.push(message);
					created.push(...deliveries);
				} else if ('finish' in each) {
					const found = await store.deliveries.get(created[each.finish]?.id ?? '');
					await store.deliveries.put(found ? [{...found, status: 'dead', nextAttemptAt: null}] : []);
					await store.deliveries.trim('owner', each.keep);
				} else if ('message' in each) {
					await store.messages.delete(messages[each.message]?.id ?? '');
				} else {
					await store.endpoints.delete(endpoints[each.endpoint]?.id ?? '');
				}
			}

			for (const {id, body} of created) {
				const found = await store.deliveries.get(id);
				expect(found?.body ?? body).toBe(body);
			}

			await store.close();
			const {tables} = (await recover(new DataDir(nodeFiles, dir), recordingLog().log)).base.state;
			const needed = [...tables.deliveries.values()].flatMap(({bodyId}) => bodyId ?? []);
			expect(new Set([...tables.bodies.values()].map(({id}) => id))).toEqual(new Set(needed));
			await rm(dir, {recursive: true});
		}),
		{numRuns: 30},
	);
});

test('a shared body lost to damage is recreated from its message when the store opens', async () => {
	const dir = await temporaryFolder();
	const {store, compact} = await openCompacting(dir);
	const {messages, deliveries} = await announced(store);
	await compact();
	await store.messages.delete(messages[1]?.id ?? '');
	await compact();
	await store.close();
	for (const name of await readdir(path.join(dir, 'snapshots'))) {
		const file = path.join(dir, 'snapshots', name);
		const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
		await writeFile(file, Buffer.concat(lines.map(line => withoutBodies(line))));
	}

	for (const _ of ['then', 'from then on']) {
		const again = await openStore(dir);
		expect(await again.deliveries.get(deliveries[5]?.id ?? '')).toEqual(deliveries[5]);
		expect(await again.deliveries.get(deliveries[65]?.id ?? '')).toMatchObject({body: '', status: 'dead'});
		await again.close();
	}
});
