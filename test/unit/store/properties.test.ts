import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Message} from '../../../src/domain/mail/message.js';
import {nodeFiles} from '../../../src/lib/io/files.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import type {Store} from '../../../src/store/port.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {readSource, receive, settle, someInbox} from './rows.js';

const inboxNames = ['a', 'b', 'c'];
const allMessages = {page: 1, limit: 1000};

/** A simple model of the expected content of the store. */
type Model = {
	readonly messages: {message: Message; bytes: Buffer}[];
	/** Ids of existing inboxes by name. */
	readonly inboxes: Map<string, string>;
	/** Maximum number of messages by inbox id. */
	readonly keeps: Map<string, number>;
};

type Step = (store: Store, model: Model) => Promise<void>;

const name = fc.constantFrom(...inboxNames);
const step: fc.Arbitrary<{readonly title: string; readonly run: Step} | 'reopen'> = fc.oneof(
	{weight: 2, arbitrary: fc.constant('reopen' as const)},
	{weight: 2, arbitrary: name.map(name => ({title: `create ${name}`, run: createInbox(name)}))},
	{weight: 1, arbitrary: name.map(name => ({title: `delete ${name}`, run: deleteInbox(name)}))},
	{
		weight: 6,
		arbitrary: fc
			.tuple(name, fc.uint8Array({maxLength: 300}), fc.constantFrom(1, 300))
			.map(([name, bytes, times]) => ({title: `mail to ${name}`, run: mail(name, repeat(bytes, times))})),
	},
	{
		weight: 2,
		arbitrary: fc.tuple(name, fc.integer({min: 1, max: 4})).map(([name, keep]) => ({
			title: `keep ${keep} of ${name}`,
			run: keepNewest(name, keep),
		})),
	},
	{weight: 3, arbitrary: fc.nat(20).map(index => ({title: `delete message ${index}`, run: deleteMessage(index)}))},
);

test('the store equals a list in memory after any operations, restarts and compactions', async () => {
	const check = async (steps: readonly ({readonly run: Step} | 'reopen')[]) => {
		const dir = await temporaryFolder();
		const options = {
			segmentBytes: 1000,
			createSnapshot: async (job: Parameters<typeof createSnapshot>[1]) => createSnapshot(nodeFiles, job),
		};
		let store = await openStore(dir, options);
		await settle(store);
		const model: Model = {messages: [], inboxes: new Map(), keeps: new Map()};
		for (const step of [...steps, 'reopen' as const]) {
			if (step === 'reopen') {
				await store.close();
				store = await openStore(dir, options);
				await expectEqual(store, model);
			} else {
				await step.run(store, model);
			}
		}

		await store.close();
	};
	await fc.assert(fc.asyncProperty(fc.array(step, {minLength: 10, maxLength: 60}), check), {numRuns: 60});
});

function createInbox(name: string): Step {
	return async (store, {inboxes}) => {
		const inbox = someInbox({address: name});
		const creating = store.inboxes.create(inbox);
		if (inboxes.has(name)) {
			await expect(creating).rejects.toMatchObject({code: 'address_taken'});
		} else {
			await creating;
			inboxes.set(name, inbox.id);
		}
	};
}

function deleteInbox(name: string): Step {
	return async (store, {inboxes, messages}) => {
		const id = inboxes.get(name);
		expect(await store.inboxes.delete(id ?? '')).toBe(id !== undefined);
		inboxes.delete(name);
		messages.splice(0, messages.length, ...messages.filter(({message}) => message.inboxId !== id));
	};
}

function mail(name: string, bytes: Buffer): Step {
	return async (store, model) => {
		const id = model.inboxes.get(name);
		const message = await receive(store, id ?? 'no inbox', {bytes});
		if (id !== undefined) {
			model.messages.push({message, bytes});
			evictFrom(model, id);
		}
	};
}

function keepNewest(name: string, keep: number): Step {
	return async (store, model) => {
		const id = model.inboxes.get(name) ?? '';
		await store.inboxes.update(id, {keep});
		model.keeps.set(id, keep);
		evictFrom(model, id);
	};
}

function evictFrom({messages, keeps}: Model, inboxId: string): void {
	const own = messages.filter(({message}) => message.inboxId === inboxId);
	const evicted = own.slice(0, Math.max(0, own.length - (keeps.get(inboxId) ?? own.length)));
	messages.splice(0, messages.length, ...messages.filter(one => !evicted.includes(one)));
}

function deleteMessage(index: number): Step {
	return async (store, {messages}) => {
		const [found] = messages.splice(index, 1);
		expect(await store.messages.delete(found?.message.id ?? '')).toBe(found !== undefined);
	};
}

function repeat(bytes: Uint8Array, times: number): Buffer {
	return Buffer.concat(Array.from({length: times}, () => bytes));
}

async function expectEqual(store: Store, {inboxes, messages}: Model): Promise<void> {
	for (const name of inboxNames) {
		const id = inboxes.get(name) ?? 'no inbox';
		expect((await store.inboxes.byAddress(name))?.id).toBe(inboxes.get(name));
		const expected = messages.filter(({message}) => message.inboxId === id).toReversed();
		expect(await store.messages.list(id, {}, allMessages)).toEqual(expected.map(({message}) => message));
		for (const {message, bytes} of expected) {
			expect((await readSource(store, message.sourceId))?.equals(bytes)).toBe(true);
		}
	}
}
