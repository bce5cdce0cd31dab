import {describe, expect, test} from 'vitest';
import {hasNoPostgres, openNode, testCluster} from './postgres-fixture.js';
import {someUser} from './rows.js';

describe.skipIf(hasNoPostgres)('the store on PostgreSQL', () => {
	const postgres = testCluster();

	test('what one node made, another one sees', async () => {
		const url = await postgres.database();
		const [one, other] = await Promise.all([openNode(url), openNode(url)]);
		const user = someUser({name: 'A\0\ud800B\ue000'});
		await one.users.create(user);
		expect(await other.users.get(user.id)).toEqual(user);
	});
});
