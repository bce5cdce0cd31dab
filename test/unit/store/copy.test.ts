import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type CopyProgress, copyStore} from '../../../src/store/copy.js';
import type {Store} from '../../../src/store/port.js';
import {anyContent, contentOf, fill, inOrder} from './copy-rows.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {receive, settle, someInbox, someUser} from './rows.js';

const neverAborted = new AbortController().signal;

async function copy(from: Store, to: Store, onProgress: (progress: CopyProgress) => void = () => {}) {
	return copyStore({from, to, onProgress, signal: neverAborted});
}

/** Copies until `reached` returns true, then aborts. */
async function copyUntil(from: Store, to: Store, reached: (progress: CopyProgress) => boolean): Promise<void> {
	const controller = new AbortController();
	const onProgress = (progress: CopyProgress) => {
		if (reached(progress)) {
			controller.abort();
		}
	};
	await copyStore({from, to, onProgress, signal: controller.signal}).catch(error => {
		expect(error).toBe(controller.signal.reason);
	});
}

/** Marks the target as a finished copy. */
async function markAsWhole(from: Store, to: Store): Promise<void> {
	const other = await newStore();
	await copyUntil(from, other, () => true);
	const {from: id = ''} = (await other.dump.mark()) ?? {};
	await to.dump.setMark({from: id, isWhole: true});
}

async function newStore(): Promise<Store> {
	return openStore(await temporaryFolder(), {isForCopy: true});
}

/** Creates a store with some hundred messages. */
async function fullStore(): Promise<Store> {
	const store = await newStore();
	await settle(store);
	const inboxes = [someInbox(), someInbox()];
	for (const inbox of inboxes) {
		await store.inboxes.create(inbox);
	}

	for (let number = 0; number < 400; number++) {
		await receive(store, inboxes[number % 2]?.id ?? '', {bytes: Buffer.from(`Subject: ${number}\r\n\r\n`)});
	}

	return store;
}

test('a copy of any store has the same rows in the same order and the same mail', async () => {
	const check = async (content: Awaited<ReturnType<typeof contentOf>>) => {
		const [from, to] = [await newStore(), await newStore()];
		await fill(from, content);
		expect(await contentOf(from)).toEqual(content);
		await copy(from, to);
		expect(inOrder(await contentOf(to))).toEqual(inOrder(content));
	};
	await fc.assert(fc.asyncProperty(anyContent, check), {numRuns: 15});
});

test('an interrupted copy continues where it stopped', async () => {
	const [from, to] = [await fullStore(), await newStore()];
	const counts: number[] = [];
	for (const stop of [3, 100, 300]) {
		await copyUntil(from, to, ({done}) => done >= stop);
		counts.push(await to.dump.count('messages'));
		expect(await to.dump.mark()).toMatchObject({isWhole: false});
	}

	expect(counts[1]).toBeGreaterThan(counts[0] ?? 0);
	const steps: CopyProgress[] = [];
	await copy(from, to, progress => steps.push(progress));
	expect(steps[0]).toMatchObject({stage: 'copying', table: 'messages', done: 409, rows: 409});
	expect(await contentOf(to)).toEqual(await contentOf(from));
});

test('tokens and passwords of inboxes are valid in a copied store', async () => {
	const [from, to] = [await fullStore(), await newStore()];
	for (const name of ['token-secret', 'smtp-secret']) {
		await from.secrets.put(name, `${name} of the source`);
	}

	await copy(from, to);
	expect(await to.secrets.get('token-secret')).toBe('token-secret of the source');
	expect(await to.secrets.get('smtp-secret')).toBe('smtp-secret of the source');
});

test('a finished copy is compared again without a write', async () => {
	const [from, to] = [await fullStore(), await newStore()];
	await copy(from, to);
	const stages = new Set<string>();
	await copy(from, to, ({stage}) => stages.add(stage));
	expect([...stages]).toEqual(['checking']);
	expect(await to.dump.mark()).toMatchObject({isWhole: true});
});

describe('a difference between a store and its copy is detected', () => {
	test('a copy is rejected if a row differs', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		await copyUntil(from, to, ({stage}) => stage === 'checking');
		await from.users.update('ada', {name: 'Eve'});
		await expect(copy(from, to)).rejects.toThrow(/differs from its source in the table users/);
		expect(await to.dump.mark()).toMatchObject({isWhole: false});
	});

	test('a copy is rejected if a message is missing', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		await copy(from, to);
		const [{id} = {id: ''}] = (await contentOf(to)).messages;
		await to.messages.delete(id);
		await expect(copy(from, to)).rejects.toThrow(/in the table messages \(400 rows in the source, 399 in the copy\)/);
	});

	test('a copy is rejected if messages are in another order', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		const content = await contentOf(from);
		await fill(to, {...content, messages: content.messages.toReversed()});
		await markAsWhole(from, to);
		await expect(copy(from, to)).rejects.toThrow(/in the table messages/);
	});

	test('a copy is rejected if the bytes of a mail differ', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		const content = await contentOf(from);
		const [[id] = ['']] = content.bytes;
		await fill(to, {...content, bytes: new Map([...content.bytes, [id, Buffer.from('Subject: 1\r\n\r\n')]])});
		await markAsWhole(from, to);
		await expect(copy(from, to)).rejects.toThrow(/in the table messages/);
	});
});

describe('an invalid target of a copy is rejected', () => {
	test('a store cannot be copied to one with other data', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		await to.users.create(someUser());
		await expect(copy(from, to)).rejects.toThrow('The target already contains data. Choose an empty one.');
	});

	test('a store cannot be copied to one with other secrets', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		await to.secrets.put('token-secret', 'its own');
		await expect(copy(from, to)).rejects.toThrow('The target has its own secrets. Choose an empty one.');
	});

	test('the unfinished copy of another store cannot be continued', async () => {
		const [from, to] = [await fullStore(), await newStore()];
		await to.dump.setMark({from: 'another', isWhole: false});
		await expect(copy(from, to)).rejects.toThrow('The target is a copy of another store. Choose an empty one.');
	});

	test('an unfinished copy cannot be opened as a store', async () => {
		const dir = path.join(await temporaryFolder(), 'data');
		const to = await openStore(dir, {isForCopy: true});
		await copyUntil(await fullStore(), to, () => true);
		await to.close();
		await expect(openStore(dir)).rejects.toThrow(
			`The data folder ${dir} is an unfinished copy. Finish it: tinbox store copy`,
		);
	});
});
