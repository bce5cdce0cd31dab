import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {FeedItem} from '../../../../src/domain/feed.js';
import {Inboxes} from '../../../../src/services/inboxes/inboxes.js';
import {Feed} from '../../../../src/services/live/feed.js';
import {StoredQuota} from '../../../../src/services/quotas.js';
import {silent} from '../../../helpers/resources.js';
import {hasNoPostgres, newDatabase, openNode} from '../../store/postgres-fixture.js';
import {at, noon, someUser} from '../../store/rows.js';

describe.skipIf(hasNoPostgres)('inboxes on several nodes', () => {
	test('expire once, and their addresses are free immediately', async () => {
		const url = await newDatabase();
		let now = noon;
		const published: FeedItem[] = [];
		const nodes = await Promise.all(
			[1, 2, 3].map(async () => {
				const store = await openNode(url);
				const feed = new Feed(store.events);
				const limit = {noun: 'inboxes', perUser: 100, total: 100, format: String, freeAdvice: '', raiseAdvice: ''};
				const inboxes = new Inboxes(store, {
					feed,
					now: () => new Date(now),
					log: silent,
					domain: 'tinbox.test',
					quota: new StoredQuota(limit, 'inboxes', store),
					retention: {evictDue: async () => {}},
				});
				vi.spyOn(feed, 'publish').mockImplementation(async items => {
					published.push(...items.filter(({type}) => type === 'inbox.deleted'));
				});
				onTestFinished(async () => inboxes.expiry.stop());
				return {store, inboxes};
			}),
		);
		const user = someUser();
		const [first, second] = nodes;
		await first?.store.users.create(user);
		const addresses = Array.from({length: 20}, (_, index) => `a${index}@shop.test`);
		const fieldsOf = (address: string) => ({name: null, teamId: null, address, ttlSeconds: 60});
		await Promise.all(addresses.map(async address => first?.inboxes.create(user, fieldsOf(address))));
		now = at(60);
		await Promise.all([
			...nodes.map(async ({inboxes}) => inboxes.expiry.start()),
			...addresses.map(async address => second?.inboxes.create(user, fieldsOf(address))),
		]);
		expect(published).toHaveLength(addresses.length);
		expect((await first?.store.usage(user.id))?.inboxes).toBe(addresses.length);
	});
});
