import {describe, expect, test} from 'vitest';
import type {Store} from '../../src/store/store.js';
import type {CreateHarness} from './behaviour/harness.js';
import {describeStore} from './behaviour.js';
import {hasNoPostgres, openNode, testCluster} from './postgres-fixture.js';
import {someUser} from './rows.js';

describe.skipIf(hasNoPostgres)('the store on PostgreSQL', () => {
	const postgres = testCluster();
	const open = async (url: string) => (await openNode(url)) as unknown as Store;

	test('what one node made, another one sees', async () => {
		const url = await postgres.database();
		const [one, other] = await Promise.all([openNode(url), openNode(url)]);
		const user = someUser({name: 'A\0\ud800B\ue000'});
		await one.users.create(user);
		expect(await other.users.get(user.id)).toEqual(user);
	});

	const ways: Readonly<Record<string, CreateHarness>> = {
		'as it runs': async () => {
			const url = await postgres.database();
			const store = await open(url);
			let isOpen = true;
			const close = async () => {
				isOpen = false;
				await store.close();
			};
			return {store: {...store, close}, next: async () => (isOpen ? store : open(url))};
		},
		'after a restart': async () => {
			const url = await postgres.database();
			let store = await open(url);
			return {
				store,
				next: async () => {
					await store.close();
					store = await open(url);
					return store;
				},
			};
		},
		'from another node': async () => {
			const url = await postgres.database();
			const [store, other] = [await open(url), await open(url)];
			return {store, next: async () => other};
		},
	};
	describe.each(Object.entries(ways))('%s', (_, create) => describeStore(create));
});
