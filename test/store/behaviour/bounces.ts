import {describe, expect, test} from 'vitest';
import type {PendingBounce} from '../../../src/domain/bounce.js';
import {at, bounced, noon, someInbox} from '../rows.js';
import type {CreateHarness} from './harness.js';

const limits = {all: 10, ofOne: 10};

export function describeBounces(create: CreateHarness): void {
	describe('bounces', () => {
		test('bounces are stored with their message, and due in the order of their times', async () => {
			const {store, next} = await create();
			const late = await bounced(store, {dueAt: at(30)});
			const early = await bounced(store, {dueAt: at(10), reply: '550 5.1.1 User unknown'});
			const {bounces} = await next();
			expect(await bounces.due(at(9), limits)).toEqual([]);
			expect(await bounces.nextDue(at(9))).toBe(at(10));
			expect(await bounces.due(at(10), limits)).toEqual([early]);
			expect(await bounces.nextDue(at(10))).toBe(at(30));
			expect(await bounces.due(at(30), limits)).toEqual([early, late]);
			expect(await bounces.nextDue(at(30))).toBeUndefined();
		});

		test('many of one owner leave room for those of others', async () => {
			const {store} = await create();
			const own: PendingBounce[] = [];
			for (const second of [1, 2, 3, 4]) {
				own.push(await bounced(store, {dueAt: at(second), ownerId: 'ada'}));
			}

			const other = await bounced(store, {dueAt: at(5), ownerId: 'bob'});
			const {bounces} = store;
			expect(await bounces.due(at(9), {all: 3, ofOne: 2})).toEqual([...own.slice(0, 2), other]);
			expect(await bounces.due(at(9), {all: 1, ofOne: 2})).toEqual(own.slice(0, 1));
		});

		test('a bounce is over when it is deleted, and with its message or its inbox', async () => {
			const {store, next} = await create();
			const sent = await bounced(store);
			const ofMessage = await bounced(store);
			const ofInbox = await bounced(store);
			const left = await bounced(store);
			expect(await store.bounces.delete(sent.id)).toBe(true);
			expect(await store.bounces.delete(sent.id)).toBe(false);
			await store.messages.delete(ofMessage.messageId);
			await store.inboxes.delete((await store.messages.get(ofInbox.messageId))?.inboxId ?? '');
			expect(await store.bounces.due(noon, limits)).toEqual([left]);
			const {bounces, messages} = await next();
			expect(await bounces.due(noon, limits)).toEqual([left]);
			expect(await messages.get(sent.messageId)).toBeDefined();
		});

		test('a message that comes too late leaves no bounce', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			await store.inboxes.delete(inbox.id);
			await bounced(store, {}, inbox.id);
			expect(await store.bounces.due(noon, limits)).toEqual([]);
			expect(await (await next()).bounces.due(noon, limits)).toEqual([]);
		});
	});
}
