import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Message} from '../../../../src/domain/mail/message.js';
import type {Store} from '../../../../src/store/port.js';
import {at, noon, receive, someInbox, someMessage, stage} from '../rows.js';
import type {CreateHarness} from './harness.js';

export function describeAllMail(create: CreateHarness): void {
	describe('the mail of all inboxes', () => {
		test('the mail of all inboxes of a scope is listed by id in pages', async () => {
			const {store, next} = await create();
			const [own, ofTeam, foreign, both] = [
				someInbox({ownerId: 'ada'}),
				someInbox({ownerId: 'bob', teamId: 'qa'}),
				someInbox({ownerId: 'bob'}),
				someInbox({ownerId: 'ada', teamId: 'qa'}),
			];
			const sent = await fill(store, [own, ofTeam, foreign, both], 20);
			const after = await next();
			const visible = newestFirst(sent.filter(({inboxId}) => inboxId !== foreign.id));
			const scope = {userId: 'ada', teamIds: ['qa']};
			const all: Message[] = [];
			for (let page = 0; page < 4; page++) {
				all.push(...(await after.messages.listAll(scope, noon, {before: all.at(-1)?.id}, 5)));
			}

			expect(all).toEqual(visible);
			expect(await after.messages.listAll({userId: 'eve', teamIds: []}, noon, {}, 5)).toEqual([]);
			const ofBob = await after.messages.listAll({userId: 'bob', teamIds: []}, noon, {}, 100);
			expect(ofBob).toEqual(newestFirst(sent.filter(({inboxId}) => [ofTeam.id, foreign.id].includes(inboxId))));
		});

		test('the mail of all inboxes excludes deleted messages and expired or deleted inboxes', async () => {
			const {store, next} = await create();
			const inboxes = [
				someInbox({ownerId: 'ada'}),
				someInbox({ownerId: 'ada', expiresAt: at(5)}),
				someInbox({ownerId: 'ada'}),
				someInbox({ownerId: 'ada'}),
			];
			const [listed, over, deleted, emptied] = inboxes;
			const sent = await fill(store, inboxes, 12);
			const scope = {userId: 'ada', teamIds: []};
			expect(await store.messages.listAll(scope, at(4), {}, 100)).toEqual(newestFirst(sent));
			await store.inboxes.delete(deleted?.id ?? '');
			await store.messages.deleteAll(emptied?.id ?? '');
			const [first, ...rest] = newestFirst(sent.filter(({inboxId}) => inboxId === listed?.id));
			await store.messages.delete(first?.id ?? '');
			const after = await next();
			expect(await after.messages.listAll(scope, at(6), {}, 100)).toEqual(rest);
			// Also relative to a deleted message.
			expect(await after.messages.listAll(scope, at(6), {before: first?.id}, 100)).toEqual(rest);
			expect(await after.messages.listAll(scope, at(6), {after: first?.id}, 100)).toEqual([]);
			expect(over).toBeDefined();
		});

		test('the mail of all inboxes is found among very much mail of others', async () => {
			const {store} = await create();
			const [own, foreign] = [someInbox({ownerId: 'ada'}), someInbox({ownerId: 'bob'})];
			const sent = await fill(store, [own, foreign], 6);
			const source = await stage(store, Buffer.from('x'));
			const messages = Array.from({length: 4500}, () => someMessage(foreign.id, source));
			await store.messages.add({source, messages, deliveries: []});
			const scope = {userId: 'ada', teamIds: []};
			const last = await receive(store, own.id);
			const expected = [last, ...newestFirst(sent.filter(({inboxId}) => inboxId === own.id))];
			expect(await store.messages.listAll(scope, noon, {}, 10)).toEqual(expected);
			expect(await store.messages.listAll(scope, noon, {before: expected[1]?.id}, 10)).toEqual(expected.slice(2));
			expect(await store.messages.listAll(scope, noon, {before: last.id}, 1)).toEqual(expected.slice(1, 2));
		});

		test('the mail of all inboxes equals a sorted list after any changes', async () => {
			const {store} = await create();
			let number = 0;
			const check = async (
				sent: ReadonlyArray<readonly [inbox: number, id: number, seconds: number]>,
				requests: readonly Request[],
			) => {
				const userId = ['ada', 'bob', 'eve'][number++ % 3] ?? '';
				const inboxes = Array.from({length: 3}, () => someInbox({ownerId: userId}));
				for (const inbox of inboxes) {
					await store.inboxes.create(inbox);
				}

				const run = String(number).padStart(8, '0');
				const idOf = (place: number) => `${run}-0000-7000-8000-${String(place).padStart(12, '0')}`;
				const all: Message[] = [];
				for (const [inbox, place, seconds] of sent) {
					all.push(await receive(store, inboxes[inbox]?.id ?? '', {id: idOf(place), receivedAt: at(seconds)}));
				}

				for (const {after, before, since, limit, deleted} of requests) {
					if (deleted !== undefined) {
						await store.messages.delete(idOf(deleted));
						all.splice(0, all.length, ...all.filter(({id}) => id !== idOf(deleted)));
					}

					const range = {
						after: after === undefined ? undefined : idOf(after),
						before: before === undefined ? undefined : idOf(before),
						since: since === undefined ? undefined : at(since),
					};
					const expected = newestFirst(all)
						.filter(({id}) => id > (range.after ?? '') && id < (range.before ?? '~'))
						.filter(({receivedAt}) => receivedAt >= (range.since ?? ''));
					const found = await store.messages.listAll({userId, teamIds: []}, noon, range, limit);
					expect(found.map(({id}) => id)).toEqual(expected.slice(0, limit).map(({id}) => id));
				}

				for (const inbox of inboxes) {
					await store.inboxes.delete(inbox.id);
				}
			};
			const place = fc.nat(30);
			const row = fc.tuple(fc.nat(2), place, fc.nat(9));
			const requests = fc.record(
				{after: place, before: place, since: fc.nat(9), limit: fc.integer({min: 1, max: 12}), deleted: place},
				{requiredKeys: ['limit']},
			);
			await fc.assert(
				fc.asyncProperty(
					fc.uniqueArray(row, {selector: ([, id]) => id, maxLength: 20}),
					fc.array(requests, {minLength: 1, maxLength: 8}),
					check,
				),
				{numRuns: 15},
			);
		});
	});
}

type Request = {
	readonly after?: number;
	readonly before?: number;
	readonly since?: number;
	readonly limit: number;
	readonly deleted?: number;
};

/** Creates the inboxes and sends `count` mails to them in turn. */
async function fill(store: Store, inboxes: ReadonlyArray<ReturnType<typeof someInbox>>, count: number) {
	for (const inbox of inboxes) {
		await store.inboxes.create(inbox);
	}

	const sent: Message[] = [];
	for (let index = 0; index < count; index++) {
		sent.push(await receive(store, inboxes[index % inboxes.length]?.id ?? ''));
	}

	return sent;
}

function newestFirst(messages: readonly Message[]): readonly Message[] {
	return messages.toSorted((one, other) => (one.id < other.id ? 1 : -1));
}
