import {describe} from 'vitest';
import type {CreateHarness} from '../../behaviour/harness.js';
import {describeLargeDeletes, describeStore} from '../../behaviour.js';
import {countSteps, hasNoPostgres, largeAmounts, newDatabase, openNode} from '../../postgres-fixture.js';

describe.skipIf(hasNoPostgres)('the PostgreSQL store seen from another node', () => {
	const create: CreateHarness = async options => {
		const url = await newDatabase();
		const [store, other] = await Promise.all([openNode(url, options), openNode(url, options)]);
		return {store, other, countSteps: async () => countSteps(url), next: async () => other};
	};
	describeStore(create);
	describeLargeDeletes(create, largeAmounts);
});
