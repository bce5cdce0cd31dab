import {describe, expect, test} from 'vitest';
import type {Store} from '../../src/store/store.js';
import {describeBounces} from './behaviour/bounces.js';
import {describeFaults} from './behaviour/faults.js';
import type {CreateHarness} from './behaviour/harness.js';
import {describeOrphans} from './behaviour/orphans.js';
import {describeClosing, describeSources} from './behaviour/sources.js';
import {describeTeams} from './behaviour/teams.js';
import {describeWebhooks} from './behaviour/webhooks.js';
import {hasNoPostgres, openNode, testCluster} from './postgres-fixture.js';
import {settle, someUser} from './rows.js';

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
			const store = await open(await postgres.database());
			return {store, next: async () => store};
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
	describe.each(Object.entries(ways))('%s', (way, create) => {
		const createSettled = async () => {
			const harness = await create();
			await settle(harness.store);
			return harness;
		};
		describeTeams(createSettled);
		describeSources(createSettled);
		if (way !== 'as it runs') {
			// What is closed can be asked for nothing.
			describeClosing(createSettled);
		}

		describeBounces(createSettled);
		describeFaults(createSettled);
		describeWebhooks(createSettled);
		describeOrphans(createSettled);
	});
});
