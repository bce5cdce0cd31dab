import {describe, expect, test} from 'vitest';
import type {CreateHarness} from '../../behaviour/harness.js';
import {describeStore} from '../../behaviour.js';
import {hasNoPostgres, newDatabase, openNode} from '../../postgres-fixture.js';
import {someUser} from '../../rows.js';

describe.skipIf(hasNoPostgres)('the running PostgreSQL store', () => {
	const create: CreateHarness = async options => {
		const url = await newDatabase();
		const store = await openNode(url, options);
		let isOpen = true;
		const close = async () => {
			isOpen = false;
			await store.close();
		};
		return {
			store: {...store, close},
			next: async () => (isOpen ? store : openNode(url, options)),
		};
	};
	describeStore(create);

	test('rows created by one node are visible to another one', async () => {
		const url = await newDatabase();
		const [one, other] = await Promise.all([openNode(url), openNode(url)]);
		const user = someUser({name: 'A\0\ud800B\ue000'});
		await one.users.create(user);
		expect(await other.users.get(user.id)).toEqual(user);
	});
});
