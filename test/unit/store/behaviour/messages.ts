import {describe, expect, test} from 'vitest';
import type {SummaryFilter} from '../../../../src/domain/mail/filter.js';
import type {Message} from '../../../../src/domain/mail/message.js';
import {at, receive, someDelivery, someEndpoint, someInbox, someMessage, someSummary, stage, walked} from '../rows.js';
import type {CreateHarness, Harness} from './harness.js';

const firstPage = {page: 1, limit: 100};

export function describeMessages(create: CreateHarness): void {
	describe('messages', () => {
		test('messages are listed newest first in pages', async () => {
			const {store, next} = await create();
			const {inbox, messages} = await fill({store}, 5);
			const newestFirst = messages.toReversed();
			const after = await next();
			expect(await after.messages.list(inbox.id, {}, {page: 1, limit: 2})).toEqual(newestFirst.slice(0, 2));
			expect(await after.messages.list(inbox.id, {}, {page: 3, limit: 2})).toEqual(newestFirst.slice(4));
			expect(await after.messages.list('no inbox', {}, firstPage)).toEqual([]);
			expect(await after.messages.count(inbox.id)).toBe(5);
			expect(await after.messages.get(messages[2]?.id ?? '')).toEqual(messages[2]);
		});

		test('pages of messages are complete after deletes at any position', async () => {
			const {store} = await create();
			const {inbox, messages} = await fill({store}, 9);
			let remaining = messages.toReversed();
			const [newest, second, , , fifth, , seventh, , oldest] = remaining;
			const expectPages = async () => {
				for (const page of [1, 2, 3, 4, 5, 6]) {
					const pageOf = (rows: readonly Message[]) => rows.slice((page - 1) * 2, page * 2);
					expect(await store.messages.list(inbox.id, {}, {page, limit: 2})).toEqual(pageOf(remaining));
					const newer = remaining.filter(message => message === newest);
					expect(await store.messages.list(inbox.id, {after: second?.id}, {page, limit: 2})).toEqual(pageOf(newer));
				}
			};
			await expectPages();
			for (const deleted of [oldest, newest, fifth]) {
				remaining = remaining.filter(message => message !== deleted);
				await store.messages.delete(deleted?.id ?? '');
				await expectPages();
			}

			remaining = remaining.filter(({id}) => id > (seventh?.id ?? ''));
			await store.messages.deleteAll(inbox.id, seventh?.id);
			await expectPages();
		});

		test('the session of a mail is stored with its message', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const sessionOf = (helo: string) => ({tls: null, auth: null, client: {host: '127.0.0.1', helo}});
			for (const helo of ['app', 'worker', 'app']) {
				await receive(store, inbox.id, {session: sessionOf(helo)});
			}

			const sessions = (await (await next()).messages.list(inbox.id, {}, firstPage)).map(({session}) => session);
			expect(sessions).toEqual([sessionOf('app'), sessionOf('worker'), sessionOf('app')]);
		});

		test('the envelope is stored with the delivery notifications that the sender requested', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const dsn = {ret: 'FULL', envid: 'a b', recipients: {'inbox@tinbox.test': {notify: ['NEVER']}}} as const;
			const envelope = {from: 'app@example.com', to: ['inbox@tinbox.test'], dsn};
			await receive(store, inbox.id, {envelope});
			expect(await (await next()).messages.list(inbox.id, {}, firstPage)).toMatchObject([{envelope}]);
		});

		test('pages of messages skip deleted messages without a gap', async () => {
			const {store} = await create();
			const {inbox, messages} = await fill({store}, 9);
			const remaining = messages.filter((_, index) => index !== 1 && index !== 6).toReversed();
			for (const {id} of messages.filter(message => !remaining.includes(message))) {
				await store.messages.delete(id);
			}

			const pages = [1, 2, 3, 4].map(page => store.messages.list(inbox.id, {}, {page, limit: 3}));
			expect((await Promise.all(pages)).flat()).toEqual(remaining);
		});

		test('a filter compares subject, sender and recipient, and all conditions must match', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const summaries = [
				{subject: 'Your CODE', from: 'ada@example.com'},
				{subject: 'your code', from: 'bob@example.com'},
				{subject: 'Other', from: 'ada@example.com'},
				{subject: '', from: ''},
			];
			const [one, two, three, four] = await Promise.all(
				summaries.map(async summary => (await receive(store, inbox.id, {summary: someSummary(summary)})).id),
			);
			const after = await next();
			const find = async (filter: SummaryFilter) => (await walked(after, inbox.id, filter)).map(({id}) => id);
			expect(await find({q: 'code'})).toEqual([two, one]);
			expect(await find({q: 'code', from: 'ADA'})).toEqual([one]);
			expect(await find({from: 'ada'})).toEqual([three, one]);
			expect(await find({to: 'nobody'})).toEqual([]);
			expect(await find({from: 'sender@'})).toEqual([four]);
		});

		test('a filter supports regular expressions and exact values', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const subjects = ['Code 1', 'Your code 2', '/code/'];
			for (const subject of subjects) {
				await receive(store, inbox.id, {summary: someSummary({subject})});
			}

			const after = await next();
			const find = async (filter: SummaryFilter) =>
				(await walked(after, inbox.id, filter)).map(({summary}) => summary?.subject);
			expect(await find({subject: '/code/'})).toEqual(['/code/']);
			expect(await find({subject: '/^.*code/', match: 'pattern'})).toEqual(['/code/', 'Your code 2']);
			expect(await find({subject: 'CODE 1', match: 'exact'})).toEqual(['Code 1']);
			expect(await find({q: 'code', subject: 'code', match: 'exact'})).toEqual([]);
			await expect(find({subject: '/(/', match: 'pattern'})).rejects.toMatchObject({code: 'invalid_input'});
		});

		test('the filter "since" matches messages received at that time or later', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			for (const seconds of [1, 2, 3]) {
				await receive(store, inbox.id, {receivedAt: at(seconds)});
			}

			const after = await next();
			const rows = await after.messages.list(inbox.id, {since: at(2)}, firstPage);
			expect(rows.map(({receivedAt}) => receivedAt)).toEqual([at(3), at(2)]);
			expect(await walked(after, inbox.id, {since: at(2)})).toEqual(rows);
		});

		test('the filter "since" compares times also after the clock was set back', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			for (const seconds of [1, 9, 9, 4, 5, 6, 2, 9]) {
				await receive(store, inbox.id, {receivedAt: at(seconds)});
			}

			const after = await next();
			const pages = [1, 2, 3, 4].map(page => after.messages.list(inbox.id, {since: at(5)}, {page, limit: 2}));
			const times = (await Promise.all(pages)).map(rows => rows.map(({receivedAt}) => receivedAt));
			expect(times).toEqual([[at(9), at(6)], [at(5), at(9)], [at(9)], []]);
		});

		test('a walk returns each message after a position once, also if all before were deleted', async () => {
			const {store} = await create();
			const {inbox, messages} = await fill({store}, 3);
			const place = await store.messages.newest(inbox.id);
			expect(await walked(store, inbox.id, {}, place)).toEqual([]);
			for (const {id} of messages) {
				await store.messages.delete(id);
			}

			const later = [await receive(store, inbox.id), await receive(store, inbox.id)].reverse();
			expect(await walked(store, inbox.id, {}, place)).toEqual(later);
			expect(await walked(store, inbox.id, {q: 'nothing'}, place)).toEqual([]);
			expect(await walked(store, inbox.id, {}, await store.messages.newest(inbox.id))).toEqual([]);
		});

		test('a walk continues correctly while messages are added and deleted', async () => {
			const {store} = await create();
			const inbox = await flood({store}, 600);
			const messages = (await walked(store, inbox.id, {})).toReversed();
			const found: string[] = [];
			for await (const rows of store.messages.walk(inbox.id, {})) {
				found.push(...rows.map(({id}) => id));
				const newest = messages.at(-found.length);
				await receive(store, inbox.id);
				await store.messages.delete(newest?.id ?? '');
				await store.messages.delete(messages[found.length]?.id ?? '');
			}

			expect(new Set(found).size).toBe(found.length);
			const remaining = await walked(store, inbox.id, {});
			const remainingIds = new Set(remaining.map(({id}) => id));
			const expected = messages.filter(({id}) => remainingIds.has(id)).map(({id}) => id);
			expect(found.filter(id => remainingIds.has(id))).toEqual(expected.reverse());
		});

		test('the filter "after" matches newer messages, also after the named one was deleted', async () => {
			const {store} = await create();
			const {inbox, messages} = await fill({store}, 4);
			const [one, two, three, four] = messages.map(({id}) => id);
			const find = async (after: string) => (await store.messages.list(inbox.id, {after}, firstPage)).map(({id}) => id);
			expect(await find(two ?? '')).toEqual([four, three]);
			expect(await find(four ?? '')).toEqual([]);
			await store.messages.delete(two ?? '');
			expect(await find(two ?? '')).toEqual([four, three]);
			await store.messages.delete(four ?? '');
			expect(await find(four ?? '')).toEqual([]);
			expect(await find(one ?? '')).toEqual([three]);
		});

		test('the filter "before" matches older messages, also after the named one was deleted', async () => {
			const {store} = await create();
			const {inbox, messages} = await fill({store}, 5);
			const [one, two, three, four, five] = messages.map(({id}) => id);
			const find = async (before: string, after?: string) => {
				const rows = await store.messages.list(inbox.id, {before, after}, {page: 1, limit: 2});
				expect((await walked(store, inbox.id, {before, after})).slice(0, 2)).toEqual(rows);
				return rows.map(({id}) => id);
			};
			expect(await find(four ?? '')).toEqual([three, two]);
			expect(await find(one ?? '')).toEqual([]);
			expect(await find(five ?? '', two)).toEqual([four, three]);
			await store.messages.delete(three ?? '');
			expect(await find(three ?? '')).toEqual([two, one]);
			expect(await find(four ?? '')).toEqual([two, one]);
			await store.messages.delete(one ?? '');
			expect(await find(one ?? '')).toEqual([]);
			const [last] = await store.messages.list(inbox.id, {before: five}, {page: 2, limit: 1});
			expect(last?.id).toBe(two);
		});

		test('a message received later is newer with any id', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const source = await stage(store, Buffer.from('x'));
			const [early, late] = [someMessage(inbox.id, source), someMessage(inbox.id, source)];
			await store.messages.add({source, messages: [late], deliveries: []});
			const second = await receive(store, inbox.id, {id: early.id});
			const after = await next();
			expect(await after.messages.list(inbox.id, {after: late.id}, firstPage)).toEqual([second]);
		});

		test('a message is deleted once, and the others remain', async () => {
			const {store, next} = await create();
			const {inbox, messages} = await fill({store}, 40);
			const odd = messages.filter((_, index) => index % 2 === 1);
			const results = await Promise.all(
				messages
					.filter(message => !odd.includes(message))
					.flatMap(({id}) => [store.messages.delete(id), store.messages.delete(id)]),
			);
			expect(results.filter(Boolean)).toHaveLength(20);
			expect(await store.messages.delete('no message')).toBe(false);
			const after = await next();
			expect(await after.messages.list(inbox.id, {}, firstPage)).toEqual(odd.toReversed());
			expect(await after.messages.count(inbox.id)).toBe(20);
		});

		test.each([0, 1, 500, 1300])('deleting all of %i messages keeps the messages of other inboxes', async count => {
			const {store, next} = await create();
			const inbox = await flood({store}, count);
			const other = await fill({store}, 2);
			await store.messages.deleteAll(inbox.id);
			expect(await store.messages.list(inbox.id, {}, firstPage)).toEqual([]);
			const later = await receive(store, inbox.id);
			const after = await next();
			expect(await after.messages.list(inbox.id, {}, firstPage)).toEqual([later]);
			expect(await after.messages.count(other.inbox.id)).toBe(2);
		});

		test('deleting all messages up to one keeps newer ones, also if that one was deleted', async () => {
			const {store, next} = await create();
			const {inbox, messages} = await fill({store}, 6);
			const [one, two, three, four, five, six] = messages;
			await store.messages.deleteAll(inbox.id, two?.id);
			expect(await store.messages.list(inbox.id, {}, firstPage)).toEqual([six, five, four, three]);
			await store.messages.delete(four?.id ?? '');
			await store.messages.deleteAll(inbox.id, four?.id);
			expect(await store.messages.list(inbox.id, {}, firstPage)).toEqual([six, five]);
			await store.messages.deleteAll(inbox.id, one?.id);
			const after = await next();
			expect(await after.messages.list(inbox.id, {}, firstPage)).toEqual([six, five]);
			expect(await after.messages.count(inbox.id)).toBe(2);
		});

		test('a message that arrives while all are deleted is kept', async () => {
			const {store, next} = await create();
			const inbox = await flood({store}, 1300);
			const deleted = store.messages.deleteAll(inbox.id);
			await expect.poll(async () => store.messages.list(inbox.id, {}, firstPage), {interval: 1}).toEqual([]);
			const later = await receive(store, inbox.id);
			await deleted;
			const after = await next();
			expect(await after.messages.list(inbox.id, {}, firstPage)).toEqual([later]);
		});

		test('a mail is stored as a message with deliveries for each existing inbox', async () => {
			const {store, next} = await create();
			const [here, deleted] = [someInbox(), someInbox()];
			await store.inboxes.create(here);
			await store.inboxes.create(deleted);
			const endpoint = someEndpoint();
			await store.endpoints.create(endpoint);
			const source = await stage(store, Buffer.from('mail'));
			const messages = [here, deleted].map(({id}) => someMessage(id, source));
			const deliveries = messages.map(({id}) => someDelivery(endpoint.id, {messageId: id}));
			const foreign = someDelivery('no endpoint', {messageId: messages[0]?.id ?? ''});
			await store.inboxes.delete(deleted.id);
			await store.messages.add({source, messages, deliveries: [...deliveries, foreign]});
			const after = await next();
			expect(await after.messages.list(here.id, {}, firstPage)).toEqual([messages[0]]);
			expect(await after.messages.get(messages[1]?.id ?? '')).toBeUndefined();
			const {rows} = await after.deliveries.list(endpoint.id, {}, firstPage);
			expect(rows).toEqual([deliveries[0]]);
			expect(await after.deliveries.get(foreign.id)).toBeUndefined();
		});
	});
}

async function fill({store}: Pick<Harness, 'store'>, count: number) {
	const inbox = someInbox();
	await store.inboxes.create(inbox);
	const messages: Message[] = [];
	for (let index = 0; index < count; index++) {
		messages.push(await receive(store, inbox.id));
	}

	return {inbox, messages};
}

/** Receives `count` mails concurrently. */
async function flood({store}: Pick<Harness, 'store'>, count: number) {
	const inbox = someInbox();
	await store.inboxes.create(inbox);
	await Promise.all(Array.from({length: count}, async () => receive(store, inbox.id)));
	return inbox;
}
