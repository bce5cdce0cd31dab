import {describe, expect, test} from 'vitest';
import type {Store} from '../../../src/store/port.js';
import type {CreateHarness} from './behaviour/harness.js';
import {describeInterruptedDeletes, describeLargeDeletes, describeStore} from './behaviour.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {receive, settle, someInbox} from './rows.js';

const runningStore: CreateHarness = async options => {
	const store = await openStore(await temporaryFolder(), options);
	return {store, next: async () => store};
};

const restartedStore: CreateHarness = async options => {
	const dir = await temporaryFolder();
	let store: Store = await openStore(dir, options);
	return {
		store,
		next: async () => {
			await store.close();
			store = await openStore(dir, options);
			return store;
		},
	};
};

describe.each(
	Object.entries({'the running JSON store': runningStore, 'the JSON store after a restart': restartedStore}),
)('%s', (_, create) => {
	describeStore(create);
});

describe('the JSON store', () => {
	const amounts = {rows: 6000, inboxes: 1000, endpoints: 300};
	describeLargeDeletes(runningStore, amounts);
	describeInterruptedDeletes(restartedStore, amounts);
});

test('messages with equal sessions share one session in memory', async () => {
	const dir = await temporaryFolder();
	const writing = await openStore(dir);
	await settle(writing);
	const inbox = someInbox();
	await writing.inboxes.create(inbox);
	for (const helo of ['app', 'worker', 'app']) {
		await receive(writing, inbox.id, {session: {tls: null, auth: null, client: {host: '127.0.0.1', helo}}});
	}

	await writing.close();
	const store = await openStore(dir);
	const [first, , last] = await store.messages.list(inbox.id, {}, {page: 1, limit: 3});
	expect(first?.session).toBe(last?.session);
});
