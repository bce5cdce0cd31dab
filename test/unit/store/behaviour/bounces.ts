import {describe, expect, test} from 'vitest';
import type {PendingBounce} from '../../../../src/domain/mail/bounce.js';
import type {BounceStore} from '../../../../src/store/port.js';
import {at, bounced, noon, someInbox} from '../rows.js';
import type {CreateHarness} from './harness.js';

const limits = {all: 10, ofOne: 10};

/** The due bounces, which are released again. */
async function due(bounces: BounceStore, now: string, max = limits): Promise<readonly PendingBounce[]> {
	const leased = await bounces.lease(now, max);
	await Promise.all(leased.map(({id}) => bounces.release(id)));
	return leased;
}

export function describeBounces(create: CreateHarness): void {
	describe('bounces', () => {
		test('bounces are stored with their message and leased in order of their due time', async () => {
			const {store, next} = await create();
			const late = await bounced(store, {dueAt: at(30)});
			const early = await bounced(store, {dueAt: at(10), reply: '550 5.1.1 User unknown'});
			const {bounces} = await next();
			expect(await due(bounces, at(9))).toEqual([]);
			expect(await bounces.nextDue(at(9))).toBe(at(10));
			expect(await due(bounces, at(10))).toEqual([early]);
			expect(await bounces.nextDue(at(10))).toBe(at(30));
			expect(await due(bounces, at(30))).toEqual([early, late]);
			expect(await bounces.nextDue(at(30))).toBeUndefined();
		});

		test('many bounces of one owner do not delay the bounces of other owners', async () => {
			const {store} = await create();
			const own: PendingBounce[] = [];
			for (const second of [1, 2, 3, 4]) {
				own.push(await bounced(store, {dueAt: at(second), ownerId: 'ada'}));
			}

			const other = await bounced(store, {dueAt: at(5), ownerId: 'bob'});
			const {bounces} = store;
			expect(await due(bounces, at(9), {all: 3, ofOne: 2})).toEqual([...own.slice(0, 2), other]);
			expect(await due(bounces, at(9), {all: 1, ofOne: 2})).toEqual(own.slice(0, 1));
		});

		test('a leased bounce is not leased again until it is released', async () => {
			const {store} = await create();
			const [first, second] = [await bounced(store, {dueAt: at(1)}), await bounced(store, {dueAt: at(2)})];
			const {bounces} = store;
			expect(await bounces.lease(at(9), {all: 1, ofOne: 1})).toEqual([first]);
			expect(await bounces.lease(at(9), limits)).toEqual([second]);
			expect(await bounces.lease(at(9), limits)).toEqual([]);
			await bounces.release(first.id);
			expect(await bounces.finish(first.id)).toBe(false);
			expect(await bounces.lease(at(9), limits)).toEqual([first]);
		});

		test('a bounce is deleted when it is finished, and with its message or inbox', async () => {
			const {store, next} = await create();
			const sent = await bounced(store);
			const ofMessage = await bounced(store);
			const ofInbox = await bounced(store);
			const remaining = await bounced(store);
			await store.bounces.lease(noon, {all: 1, ofOne: 1});
			expect(await store.bounces.finish(sent.id)).toBe(true);
			expect(await store.bounces.finish(sent.id)).toBe(false);
			await store.messages.delete(ofMessage.messageId);
			await store.inboxes.delete((await store.messages.get(ofInbox.messageId))?.inboxId ?? '');
			expect(await due(store.bounces, noon)).toEqual([remaining]);
			const {bounces, messages} = await next();
			expect(await due(bounces, noon)).toEqual([remaining]);
			expect(await messages.get(sent.messageId)).toBeDefined();
		});

		test('a message for a deleted inbox leaves no bounce', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			await store.inboxes.delete(inbox.id);
			await bounced(store, {}, inbox.id);
			expect(await due(store.bounces, noon)).toEqual([]);
			expect(await due((await next()).bounces, noon)).toEqual([]);
		});
	});
}
