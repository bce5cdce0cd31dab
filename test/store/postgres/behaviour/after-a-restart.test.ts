import {describe} from 'vitest';
import type {CreateHarness} from '../../behaviour/harness.js';
import {describeLargeDeletes, describeStore} from '../../behaviour.js';
import {countSteps, hasNoPostgres, largeAmounts, newDatabase, openNode} from '../../postgres-fixture.js';

describe.skipIf(hasNoPostgres)('the store on PostgreSQL, after a restart', () => {
	const create: CreateHarness = async options => {
		const url = await newDatabase();
		let store = await openNode(url, options);
		return {
			store,
			countSteps: async () => countSteps(url),
			next: async () => {
				await store.close();
				store = await openNode(url, options);
				return store;
			},
		};
	};
	describeStore(create);
	describeLargeDeletes(create, largeAmounts);
});
