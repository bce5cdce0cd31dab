import {expect, onTestFinished, test} from 'vitest';
import type {Inbox} from '../../../../src/domain/mail/inbox.js';
import {Inboxes} from '../../../../src/services/inboxes/inboxes.js';
import {Feed} from '../../../../src/services/live/feed.js';
import {StoredQuota} from '../../../../src/services/quotas.js';
import type {InboxStore, Store} from '../../../../src/store/port.js';
import {silent} from '../../../helpers/resources.js';
import {openStore, temporaryFolder} from '../../store/json-fixture.js';
import {at, noon, someUser} from '../../store/rows.js';

const [ann, bob] = [someUser(), someUser()];
const page = {page: 1, limit: 100};
const defaults = {name: null, teamId: null, address: null, ttlSeconds: null};

type World = {
	readonly inboxes: Inboxes;
	readonly store: Store;
	/** Sets the clock to this number of seconds after noon. */
	readonly setClock: (seconds: number) => void;
};

/** Opens inboxes at noon, without a daemon; a user may have two inboxes. */
async function openWorld(own: Partial<InboxStore> = {}): Promise<World> {
	const store = await openStore(await temporaryFolder());
	for (const user of [ann, bob]) {
		await store.users.create(user);
	}

	let now = noon;
	const limit = {noun: 'inboxes', perUser: 2, total: 100, format: String, freeAdvice: '', raiseAdvice: ''};
	const inboxes = new Inboxes(
		{...store, inboxes: {...store.inboxes, ...own}},
		{
			feed: new Feed(store.events),
			now: () => new Date(now),
			log: silent,
			domain: 'tinbox.test',
			quota: new StoredQuota(limit, 'inboxes', store),
			retention: {evictDue: async () => {}},
		},
	);
	onTestFinished(async () => inboxes.expiry.stop());
	return {
		inboxes,
		store,
		setClock: seconds => {
			now = at(seconds);
		},
	};
}

test('expired inboxes are not listed during their deletion, and new inboxes do not wait for it', async () => {
	const {inboxes, setClock} = await openWorld({deleteExpired: async () => new Promise<readonly Inbox[]>(() => {})});
	await inboxes.create(ann, {...defaults, address: 'short@shop.test', ttlSeconds: 1000});
	await inboxes.create(bob, {...defaults, address: 'long@shop.test'});
	setClock(1000);
	expect(await inboxes.list(ann, page)).toEqual({inboxes: [], total: 0});
	expect(await inboxes.list(bob, page)).toMatchObject({total: 1});
	expect(await inboxes.list(ann, page, {address: 'short@shop.test'})).toMatchObject({total: 0});
	await expect(inboxes.create(ann, {...defaults, address: 'long@shop.test'})).rejects.toMatchObject({
		code: 'address_taken',
	});
	await inboxes.create(ann, defaults);
	await inboxes.create(bob, defaults);
});

test('the address and quota of an inbox are free as soon as it expires', async () => {
	const {inboxes, store, setClock} = await openWorld();
	await inboxes.create(ann, {...defaults, address: 'short+tag@shop.test', ttlSeconds: 1000});
	await inboxes.create(ann, {...defaults, address: 'other@shop.test', ttlSeconds: 1000});
	await expect(inboxes.create(bob, {...defaults, address: 'short@shop.test'})).rejects.toMatchObject({
		code: 'address_taken',
	});
	await expect(inboxes.create(ann, defaults)).rejects.toMatchObject({code: 'limit_reached'});
	setClock(1000);
	await Promise.all([
		inboxes.create(bob, {...defaults, address: 'short@shop.test'}),
		inboxes.create(ann, defaults),
		inboxes.create(ann, {...defaults, address: 'other@shop.test'}),
	]);
	expect((await store.usage()).inboxes).toBe(3);
});
