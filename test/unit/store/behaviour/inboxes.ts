import {describe, expect, test} from 'vitest';
import {at, noon, readSource, receive, someInbox} from '../rows.js';
import type {CreateHarness} from './harness.js';

export function describeInboxes(create: CreateHarness): void {
	describe('inboxes', () => {
		test('an inbox is found by id and by canonical address', async () => {
			const {store, next} = await create();
			const [inbox, all] = [someInbox(), someInbox({address: '*'})];
			await store.inboxes.create(inbox);
			await store.inboxes.create(all);
			const {inboxes} = await next();
			expect(await inboxes.get(inbox.id)).toEqual(inbox);
			expect(await inboxes.byAddress(inbox.address)).toEqual(inbox);
			expect(await inboxes.byAddress('*')).toEqual(all);
			expect(await inboxes.byAddress('nobody@tinbox.test')).toBeUndefined();
		});

		test('an id with invalid characters finds no inbox', async () => {
			const {store} = await create();
			for (const id of ['\0', 'a\0b', '\ud800', '\ue000']) {
				expect(await store.inboxes.get(id)).toBeUndefined();
				expect(await store.inboxes.byAddress(id)).toBeUndefined();
				expect(await store.endpoints.get(id)).toBeUndefined();
				expect(await store.users.get(id)).toBeUndefined();
				expect(await store.messages.get(id)).toBeUndefined();
				await store.inboxes.delete(id);
			}
		});

		test('concurrent creates with one address create one inbox, and a released address can be used again', async () => {
			const {store} = await create();
			const rivals = Array.from({length: 4}, () => someInbox({address: 'one@tinbox.test'}));
			const results = await Promise.allSettled(rivals.map(inbox => store.inboxes.create(inbox)));
			expect(results.filter(({status}) => status === 'fulfilled')).toHaveLength(1);
			expect(results[1]).toMatchObject({reason: {code: 'address_taken'}});
			await store.inboxes.delete(rivals[0]?.id ?? '');
			await expect(store.inboxes.create(someInbox({address: 'one@tinbox.test'}))).resolves.toBeUndefined();
		});

		test('an address and its plus addresses belong to one user, in any spelling and with concurrent creates', async () => {
			const {store} = await create();
			const claim = async (ownerId: string, address: string) => {
				const inbox = someInbox({ownerId, address});
				await store.inboxes.create(inbox);
				return inbox.id;
			};
			const isTaken = {code: 'address_taken'};
			await claim('ada', 'one+tag@tinbox.test');
			await expect(claim('bob', 'one@tinbox.test')).rejects.toMatchObject(isTaken);
			await claim('bob', 'one+other@tinbox.test');
			await expect(claim('ada', 'one@tinbox.test')).rejects.toMatchObject(isTaken);

			const id = await claim('ada', 'two@tinbox.test');
			await claim('ada', 'two+tag@tinbox.test');
			for (const address of ['two+tag@tinbox.test', '"two+x"@tinbox.test', 'two@tinbox.test.']) {
				await expect(claim('bob', address), address).rejects.toMatchObject(isTaken);
			}

			await store.inboxes.delete(id);
			await claim('bob', 'two+x@tinbox.test');

			const both = await Promise.allSettled([claim('ada', 'three@tinbox.test'), claim('bob', 'three+tag@tinbox.test')]);
			expect(both.map(({status}) => status)).toEqual(['fulfilled', 'rejected']);
		});

		test('many concurrent changes of one user do not delay the changes of another', async () => {
			const {store} = await create();
			const inbox = someInbox({ownerId: 'ada'});
			await store.inboxes.create(inbox);
			// Opens several connections of the store first.
			await Promise.all(['ada', 'bob', 'eve'].map(async ownerId => store.inboxes.create(someInbox({ownerId}))));
			let isBobDone = false;
			let before = 0;
			const many = Array.from({length: 300}, async (_, index) => {
				await store.inboxes.update(inbox.id, {name: `${index}`});
				before += isBobDone ? 0 : 1;
			});
			await store.inboxes.create(someInbox({ownerId: 'bob'}));
			isBobDone = true;
			expect(before).toBeLessThan(30);
			await Promise.all(many);
		});

		test('the inbox list has own inboxes and team inboxes once each, newest first, in pages', async () => {
			const {store, next} = await create();
			const own = someInbox({ownerId: 'ada', createdAt: at(1)});
			const both = someInbox({ownerId: 'ada', teamId: 'qa', createdAt: at(2)});
			const team = someInbox({ownerId: 'bob', teamId: 'qa', createdAt: at(3)});
			const foreign = someInbox({ownerId: 'bob', teamId: 'other'});
			for (const inbox of [own, both, team, foreign]) {
				await store.inboxes.create(inbox);
			}

			const {inboxes} = await next();
			const scope = {userId: 'ada', teamIds: ['qa', 'qa']};
			expect(await inboxes.list(scope, {page: 1, limit: 2}, noon)).toEqual({rows: [team, both], total: 3});
			expect(await inboxes.list(scope, {page: 2, limit: 2}, noon)).toEqual({rows: [own], total: 3});
			expect(await inboxes.list(scope, {page: 3, limit: 2}, noon)).toEqual({rows: [], total: 3});
			expect(await inboxes.list({userId: 'ada', teamIds: []}, {page: 1, limit: 9}, noon)).toEqual({
				rows: [both, own],
				total: 2,
			});
		});

		test('a list can be limited to the inboxes with exactly a name', async () => {
			const {store, next} = await create();
			const named = [
				someInbox({ownerId: 'ada', name: 'signup', createdAt: at(1)}),
				someInbox({ownerId: 'ada', teamId: 'qa', name: 'signup', createdAt: at(2)}),
				someInbox({ownerId: 'bob', teamId: 'qa', name: 'signup', createdAt: at(3)}),
			];
			const others = [
				someInbox({ownerId: 'ada', name: 'Signup'}),
				someInbox({ownerId: 'ada', name: 'signup 2'}),
				someInbox({ownerId: 'ada', name: null}),
				someInbox({ownerId: 'ada', name: 'signup', expiresAt: at(4)}),
				someInbox({ownerId: 'bob', name: 'signup'}),
				someInbox({ownerId: 'bob', teamId: 'other', name: 'signup'}),
			];
			for (const inbox of [...named, ...others]) {
				await store.inboxes.create(inbox);
			}

			const {inboxes} = await next();
			const shared = {userId: 'ada', teamIds: ['qa', 'qa'], name: 'signup'};
			const [first, second, third] = named;
			expect(await inboxes.list(shared, {page: 1, limit: 2}, at(5))).toEqual({rows: [third, second], total: 3});
			expect(await inboxes.list(shared, {page: 2, limit: 2}, at(5))).toEqual({rows: [first], total: 3});
			const own = {userId: 'ada', teamIds: [], name: 'signup'};
			expect(await inboxes.list(own, {page: 1, limit: 9}, at(5))).toEqual({rows: [second, first], total: 2});
			expect(await inboxes.list({...own, name: ''}, {page: 1, limit: 9}, at(5))).toEqual({rows: [], total: 0});
		});

		test('an inbox is listed by its new name after a change, and by none after its deletion', async () => {
			const {store, next} = await create();
			const inbox = someInbox({ownerId: 'ada', name: 'old'});
			await store.inboxes.create(inbox);
			const strange = 'new \0 \ue000 \ud800';
			await store.inboxes.update(inbox.id, {name: strange});
			const {inboxes} = await next();
			const total = async (name: string) =>
				(await inboxes.list({userId: 'ada', teamIds: [], name}, {page: 1, limit: 9}, noon)).total;
			expect(await total('old')).toBe(0);
			expect(await total(strange)).toBe(1);
			await inboxes.delete(inbox.id);
			expect(await total(strange)).toBe(0);
		});

		test('own inboxes in a team are listed once, in order of creation', async () => {
			const {store, next} = await create();
			const inboxes = Array.from({length: 9}, (_, index) =>
				someInbox({ownerId: index % 2 === 0 ? 'ada' : 'bob', createdAt: at(index)}),
			);
			for (const inbox of inboxes) {
				await store.inboxes.create(inbox);
			}

			// The oldest inboxes join the team last.
			for (const {id} of inboxes.slice(0, 6).toReversed()) {
				await store.inboxes.update(id, {teamId: 'qa'});
			}

			const visible = inboxes.filter(({ownerId}, index) => ownerId === 'ada' || index < 6).toReversed();
			const scope = {userId: 'ada', teamIds: ['qa', 'dev']};
			const after = (await next()).inboxes;
			for (const page of [1, 2, 3]) {
				const {rows, total} = await after.list(scope, {page, limit: 3}, noon);
				expect(rows.map(({id}) => id)).toEqual(visible.slice(3 * page - 3, 3 * page).map(({id}) => id));
				expect(total).toBe(visible.length);
			}
		});

		test('an inbox can be moved between teams', async () => {
			const {store, next} = await create();
			const inbox = someInbox({ownerId: 'ada', teamId: 'qa'});
			await store.inboxes.create(inbox);
			expect(await store.inboxes.update(inbox.id, {teamId: 'dev', name: 'x'})).toEqual({
				...inbox,
				teamId: 'dev',
				name: 'x',
			});
			expect(await store.inboxes.update('no inbox', {name: 'x'})).toBeUndefined();
			const {inboxes} = await next();
			expect((await inboxes.list({userId: 'bob', teamIds: ['qa']}, {page: 1, limit: 9}, noon)).total).toBe(0);
			expect((await inboxes.list({userId: 'bob', teamIds: ['dev']}, {page: 1, limit: 9}, noon)).total).toBe(1);
		});

		test('each rotation, also a concurrent one, increments the generation and changes nothing else', async () => {
			const {store, next} = await create();
			const inbox = someInbox({routing: 'recipients'});
			await store.inboxes.create(inbox);
			await Promise.all([store.inboxes.rotate(inbox.id), store.inboxes.rotate(inbox.id)]);
			expect(await store.inboxes.rotate(inbox.id)).toEqual({...inbox, generation: 3});
			expect(await store.inboxes.rotate('no inbox')).toBeUndefined();
			await store.inboxes.update(inbox.id, {name: 'New'});
			expect(await (await next()).inboxes.get(inbox.id)).toEqual({...inbox, name: 'New', generation: 3});
		});

		test('deleting an inbox deletes its mail', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const message = await receive(store, inbox.id);
			const results = await Promise.all([store.inboxes.delete(inbox.id), store.inboxes.delete(inbox.id)]);
			expect(results).toEqual([true, false]);
			const after = await next();
			expect(await after.inboxes.get(inbox.id)).toBeUndefined();
			expect(await after.messages.get(message.id)).toBeUndefined();
			expect(await after.messages.count(inbox.id)).toBe(0);
			expect(await readSource(after, message.sourceId)).toBeUndefined();
		});

		test('expired inboxes are deleted, and the time of the next expiry is known', async () => {
			const {store, next} = await create();
			const [late, soon, never] = [someInbox({expiresAt: at(9)}), someInbox({expiresAt: at(5)}), someInbox()];
			for (const inbox of [late, soon, never]) {
				await store.inboxes.create(inbox);
			}

			const {inboxes} = await next();
			expect(await inboxes.nextExpiry()).toBe(at(5));
			expect(await inboxes.deleteExpired(at(4))).toEqual([]);
			expect(await inboxes.deleteExpired(at(5))).toEqual([soon]);
			expect(await inboxes.nextExpiry()).toBe(at(9));
			expect(await inboxes.deleteExpired(at(60))).toEqual([late]);
			expect(await inboxes.get(late.id)).toBeUndefined();
			expect(await inboxes.get(never.id)).toEqual(never);
			expect(await inboxes.nextExpiry()).toBeUndefined();
		});

		test('expired inboxes are not listed', async () => {
			const {store, next} = await create();
			const [over, lasting] = [{expiresAt: at(5)}, {expiresAt: at(6)}];
			const stay = [
				someInbox({ownerId: 'ada', createdAt: at(1), ...lasting}),
				someInbox({ownerId: 'bob', teamId: 'qa', createdAt: at(3), ...lasting}),
			];
			const go = [
				someInbox({ownerId: 'ada', createdAt: at(2), ...over}),
				someInbox({ownerId: 'ada', teamId: 'qa', createdAt: at(4), ...over}),
				someInbox({ownerId: 'bob', teamId: 'qa', createdAt: at(0), ...over}),
			];
			for (const inbox of [...stay, ...go]) {
				await store.inboxes.create(inbox);
			}

			const {inboxes} = await next();
			const [ofAda, shared] = [
				{userId: 'ada', teamIds: []},
				{userId: 'ada', teamIds: ['qa']},
			];
			const page = {page: 1, limit: 1};
			expect(await inboxes.list(shared, page, at(4))).toEqual({rows: [go[1]], total: 5});
			expect(await inboxes.list(shared, page, at(5))).toEqual({rows: [stay[1]], total: 2});
			expect(await inboxes.list(shared, {page: 2, limit: 1}, at(5))).toEqual({rows: [stay[0]], total: 2});
			expect(await inboxes.list(ofAda, page, at(5))).toEqual({rows: [stay[0]], total: 1});
			expect(await inboxes.list(ofAda, page, at(6))).toEqual({rows: [], total: 0});
		});

		test('very many expired inboxes are deleted in batches', async () => {
			const {store, next} = await create();
			await Promise.all(
				Array.from({length: 600}, async () => store.inboxes.create(someInbox({expiresAt: at(5), ownerId: 'ada'}))),
			);
			const first = await store.inboxes.deleteExpired(at(5));
			expect(first.length).toBeGreaterThan(100);
			expect(first.length).toBeLessThan(600);
			const after = await next();
			let deleted = first.length;
			while ((await after.inboxes.nextExpiry()) !== undefined) {
				deleted += (await after.inboxes.deleteExpired(at(5))).length;
			}

			expect(deleted).toBe(600);
			expect((await after.usage('ada')).inboxes).toBe(0);
		});
	});
}
