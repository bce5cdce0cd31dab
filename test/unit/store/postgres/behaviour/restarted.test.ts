import {describe} from 'vitest';
import type {CreateHarness} from '../../behaviour/harness.js';
import {describeInterruptedDeletes, describeRebuiltState} from '../../behaviour.js';
import {hasNoPostgres, largeAmounts, newDatabase, openNode} from '../../postgres-fixture.js';

// Rows in the database are visible to the next process as to another node.
describe.skipIf(hasNoPostgres)('the PostgreSQL store after a restart', () => {
	const create: CreateHarness = async options => {
		const url = await newDatabase();
		let store = await openNode(url, options);
		return {
			store,
			next: async () => {
				await store.close();
				store = await openNode(url, options);
				return store;
			},
		};
	};
	describeRebuiltState(create);
	describeInterruptedDeletes(create, largeAmounts);
});
