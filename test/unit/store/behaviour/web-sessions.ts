import {describe, expect, test} from 'vitest';
import {at, noon, someKey, someUser, someWebSession} from '../rows.js';
import type {CreateHarness} from './harness.js';

export function describeWebSessions(create: CreateHarness): void {
	describe('web sessions', () => {
		test('a web session is found by hash and listed newest first, unchanged', async () => {
			const {store, next} = await create();
			const [first, second] = [someWebSession('ada'), someWebSession('ada')];
			const others = someWebSession('bob');
			for (const session of [first, second, others]) {
				expect(await store.webSessions.create(session, 9)).toBe(true);
			}

			const {webSessions} = await next();
			expect(await webSessions.list('ada')).toEqual([second, first]);
			expect(await webSessions.byHash(first.hash)).toEqual(first);
			expect(await webSessions.byHash('another')).toBeUndefined();
			expect(await webSessions.list('eve')).toEqual([]);
		});

		test('concurrent creates with one id create one web session, also after it was ended', async () => {
			const {store, next} = await create();
			const id = crypto.randomUUID();
			const results = await Promise.all(
				Array.from({length: 20}, async () => store.webSessions.create(someWebSession('ada', {id}), 9)),
			);
			expect(results.filter(Boolean)).toHaveLength(1);
			expect(await store.webSessions.list('ada')).toHaveLength(1);
			expect(await store.webSessions.endSession('ada', id, noon)).toBe(true);
			const {webSessions} = await next();
			expect(await webSessions.create(someWebSession('ada', {id}), 9)).toBe(false);
			expect(await webSessions.list('ada')).toEqual([]);
		});

		test('a web session is ended once by its user, and its row is deleted ten minutes later', async () => {
			const {store, next} = await create();
			const session = someWebSession('ada');
			await store.webSessions.create(session, 9);
			expect(await store.webSessions.endSession('bob', session.id, noon)).toBe(false);
			expect(await store.webSessions.endSession('ada', 'another', noon)).toBe(false);
			expect(await store.webSessions.endSession('ada', session.id, noon)).toBe(true);
			expect(await store.webSessions.endSession('ada', session.id, noon)).toBe(false);
			const {webSessions} = await next();
			expect(await webSessions.byHash(session.hash)).toBeUndefined();
			expect(await webSessions.nextExpiry()).toBe(at(600));
			expect(await webSessions.deleteExpired(at(599))).toEqual([]);
			expect(await webSessions.deleteExpired(at(600))).toEqual([{...session, isEnded: true, expiresAt: at(600)}]);
			expect(await webSessions.nextExpiry()).toBeUndefined();
			expect(await webSessions.create(session, 9)).toBe(true);
		});

		test('a web session ended shortly before its expiry is not kept longer', async () => {
			const {store} = await create();
			const session = someWebSession('ada', {expiresAt: at(60)});
			await store.webSessions.create(session, 9);
			await store.webSessions.endSession('ada', session.id, noon);
			expect(await store.webSessions.nextExpiry()).toBe(at(60));
		});

		test('web sessions beyond the limit of a user are ended, the oldest first, also with concurrent creates', async () => {
			const {store, next} = await create();
			const sessions = Array.from({length: 3}, () => someWebSession('ada'));
			for (const session of sessions) {
				await store.webSessions.create(session, 3);
			}

			await store.webSessions.create(someWebSession('bob'), 1);
			const newest = someWebSession('ada', {createdAt: at(5)});
			await store.webSessions.create(newest, 3);
			const {webSessions} = await next();
			expect(await webSessions.list('ada')).toEqual([newest, sessions[2], sessions[1]]);
			expect(await webSessions.nextExpiry()).toBe(at(605));
			await Promise.all(Array.from({length: 9}, async () => webSessions.create(someWebSession('ada'), 2)));
			expect(await webSessions.list('ada')).toHaveLength(2);
			expect(await webSessions.list('bob')).toHaveLength(1);
		});

		test('web sessions are deleted with their key if it is deleted or replaced, and others remain', async () => {
			const {store, next} = await create();
			const [one, other] = [someKey('ada'), someKey('ada')];
			await store.keys.create(one, 9);
			await store.keys.create(other, 9);
			const ofOne = someWebSession('ada', {keyId: one.id});
			const ofOther = someWebSession('ada', {keyId: other.id});
			const ofNone = someWebSession('ada');
			for (const session of [ofOne, ofOther, ofNone]) {
				await store.webSessions.create(session, 9);
			}

			await store.keys.delete('ada', one.id);
			expect(await store.webSessions.byHash(ofOne.hash)).toBeUndefined();
			const after = await next();
			expect(await after.webSessions.list('ada')).toEqual([ofNone, ofOther]);
			await after.keys.create({...someKey('ada'), id: other.id}, 9);
			expect(await (await next()).webSessions.list('ada')).toEqual([ofNone]);
		});

		test('web sessions are deleted with their user', async () => {
			const {store, next} = await create();
			const eve = someUser();
			await store.users.create(eve);
			const session = someWebSession(eve.id);
			await store.webSessions.create(session, 9);
			await store.users.delete(eve.id);
			const {webSessions} = await next();
			expect(await webSessions.byHash(session.hash)).toBeUndefined();
			expect(await webSessions.list(eve.id)).toEqual([]);
			expect(await webSessions.nextExpiry()).toBeUndefined();
		});

		test('no web session is created for a deleted key or user', async () => {
			const {store} = await create();
			await expect(store.webSessions.create(someWebSession('nobody'), 9)).rejects.toMatchObject({code: 'not_found'});
			const keyless = someWebSession('ada', {keyId: 'gone'});
			await expect(store.webSessions.create(keyless, 9)).rejects.toMatchObject({code: 'not_found'});
			expect(await store.webSessions.nextExpiry()).toBeUndefined();
		});

		test('recording the use of web sessions ignores deleted ones', async () => {
			const {store, next} = await create();
			const session = someWebSession('ada');
			await store.webSessions.create(session, 9);
			await store.webSessions.touch(
				new Map([
					[session.id, at(5)],
					['gone', at(5)],
				]),
			);
			expect(await (await next()).webSessions.list('ada')).toEqual([{...session, lastUsedAt: at(5)}]);
		});

		test('expired web sessions are deleted, the first expired first, and others remain', async () => {
			const {store} = await create();
			const sessions = [30, 10, 20].map(seconds => someWebSession('ada', {expiresAt: at(seconds)}));
			for (const session of sessions) {
				await store.webSessions.create(session, 9);
			}

			const deleted = await store.webSessions.deleteExpired(at(20));
			expect(deleted.map(({id}) => id).sort()).toEqual([sessions[1]?.id, sessions[2]?.id].sort());
			expect(await store.webSessions.nextExpiry()).toBe(at(30));
			expect(await store.webSessions.list('ada')).toEqual([sessions[0]]);
		});
	});
}
