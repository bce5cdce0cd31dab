import {randomBytes} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import type {Receipt} from '../../../../src/domain/mail/sending.js';
import {at, noon, readSource, someInbox, someMessage, someReceipt, someTemplate, someUser, stage} from '../rows.js';
import type {CreateHarness, Harness} from './harness.js';

const firstPage = {page: 1, limit: 100};

export function describeSending(create: CreateHarness): void {
	describe('receipts', () => {
		test.each([10, 100_000])('the mails of a request with %i bytes are stored with its receipt', async size => {
			const {store, next} = await create();
			const {inbox, add, bytes} = await request(store, size);
			const receipt = someReceipt({
				outcomes: [
					{id: 'a', messageIds: ['\0\ud800'], echo: {To: 'a@example.com'}},
					{failure: {type: 'too_large', maxBytes: 1}},
				],
			});
			const messages = await add(receipt);
			const after = await next();
			expect(await after.receipts.get(receipt.id)).toEqual(receipt);
			expect(await after.messages.list(inbox.id, {}, firstPage)).toEqual(messages.toReversed());
			expect((await readSource(after, messages[0]?.sourceId ?? ''))?.equals(bytes)).toBe(true);
			await after.messages.delete(messages[0]?.id ?? '');
			expect((await readSource(after, messages[0]?.sourceId ?? ''))?.equals(bytes)).toBe(true);
			expect(await after.receipts.get('another')).toBeUndefined();
		});

		test.each([10, 100_000])('of concurrent requests with one receipt and %i bytes, one is stored', async size => {
			const {store, other = store, next} = await create();
			const {inbox, add} = await request(store, size);
			const receipts = Array.from({length: 20}, (_, place) =>
				someReceipt({id: `receipt ${place % 2}`, outcomes: [{id: String(place), messageIds: []}]}),
			);
			const outcomes = await Promise.allSettled(
				receipts.map(async (receipt, place) => add(receipt, place % 4 < 2 ? store : other)),
			);
			const stored = receipts.filter((_, place) => outcomes[place]?.status === 'fulfilled');
			expect(stored.map(({id}) => id).sort()).toEqual(['receipt 0', 'receipt 1']);
			for (const [place, outcome] of outcomes.entries()) {
				if (outcome.status === 'rejected') {
					const winner = stored.find(({id}) => id === receipts[place]?.id);
					expect(outcome.reason).toMatchObject({name: 'AlreadyAnswered', receipt: winner});
				}
			}

			const after = await next();
			expect(await after.messages.count(inbox.id)).toBe(4);
			for (const receipt of stored) {
				expect(await after.receipts.get(receipt.id)).toEqual(receipt);
			}
		});

		test('the receipt of a request without mail is stored once', async () => {
			const {store, other = store, next} = await create();
			const receipts = Array.from({length: 10}, (_, place) => someReceipt({id: 'same', digest: String(place)}));
			const outcomes = await Promise.allSettled(
				receipts.map(async (receipt, place) => (place % 2 === 0 ? store : other).receipts.add(receipt)),
			);
			const stored = receipts.filter((_, place) => outcomes[place]?.status === 'fulfilled');
			expect(stored).toHaveLength(1);
			const after = await next();
			expect(await after.receipts.get('same')).toEqual(stored[0]);
			const {inbox, add} = await request(after, 10);
			await expect(add(someReceipt({id: 'same'}))).rejects.toMatchObject({receipt: stored[0]});
			expect(await after.messages.count(inbox.id)).toBe(0);
		});

		test('an expired receipt is replaced by a new one, with or without mail', async () => {
			const {store, next} = await create();
			const first = someReceipt({id: 'same', createdAt: noon, expiresAt: at(60)});
			await store.receipts.add(first);
			await expect(store.receipts.add({...first, createdAt: at(59)})).rejects.toMatchObject({receipt: first});
			const second = {...first, createdAt: at(60), expiresAt: at(120), digest: 'second'};
			await store.receipts.add(second);
			expect(await store.receipts.get('same')).toEqual(second);
			const {inbox, add} = await request(store, 10);
			const third = {...first, createdAt: at(120), expiresAt: at(180), digest: 'third'};
			await add(third);
			const after = await next();
			expect(await after.receipts.get('same')).toEqual(third);
			expect(await after.messages.count(inbox.id)).toBe(2);
		});

		test('expired receipts are deleted, and others remain', async () => {
			const {store} = await create();
			expect(await store.receipts.nextExpiry()).toBeUndefined();
			const receipts = [30, 10, 20].map(seconds => someReceipt({expiresAt: at(seconds)}));
			for (const receipt of receipts) {
				await store.receipts.add(receipt);
			}

			expect(await store.receipts.nextExpiry()).toBe(at(10));
			await store.receipts.deleteExpired(at(20));
			expect(await store.receipts.nextExpiry()).toBe(at(30));
			const remaining = await Promise.all(receipts.map(async ({id}) => store.receipts.get(id)));
			expect(remaining).toEqual([receipts[0], undefined, undefined]);
		});

		test('receipts beyond the budget are deleted from the largest holder, oldest first', async () => {
			const {store} = await create();
			const few = Array.from({length: 3}, () => someReceipt({holder: 'bob', expiresAt: at(10)}));
			for (const receipt of few) {
				await store.receipts.add(receipt);
			}

			const body = 'x'.repeat(1024 * 1024);
			const many: Receipt[] = [];
			while ((await store.receipts.nextExpiry()) !== '') {
				const outcomes = [{failure: {type: 'invalid', message: '', errors: [{body}]}}] as const;
				const receipt = someReceipt({holder: 'eve', outcomes, expiresAt: at(20 + many.length)});
				await store.receipts.add(receipt);
				many.push(receipt);
			}

			expect(many.length).toBeLessThan(100);
			await store.receipts.deleteExpired(noon);
			expect(await store.receipts.nextExpiry()).toBe(at(10));
			const isStored = async (receipts: readonly Receipt[]) =>
				Promise.all(receipts.map(async ({id}) => (await store.receipts.get(id)) !== undefined));
			expect(await isStored(few)).toEqual([true, true, true]);
			const stored = await isStored(many);
			const kept = stored.filter(Boolean).length;
			expect(kept).toBeGreaterThan(many.length * 0.9);
			expect(stored).toEqual(many.map((_, place) => place >= many.length - kept));
		});

		test('a rejected request leaves no receipt', async () => {
			const {store} = await create();
			const {inbox} = await request(store, 10);
			const source = await stage(store, randomBytes(10));
			const receipt = someReceipt();
			const mail = {source, messages: [someMessage(inbox.id, source)], deliveries: [], receipt};
			const check = () => {
				throw new Error('full');
			};
			await store.messages.add({...mail, check}).then(
				// A store of one process does not call it.
				() => undefined,
				async () => {
					expect(await store.receipts.get(receipt.id)).toBeUndefined();
					expect(await store.messages.count(inbox.id)).toBe(0);
				},
			);
		});

		test('a request for a deleted inbox still stores its receipt', async () => {
			const {store, next} = await create();
			const source = await stage(store, randomBytes(10));
			const receipt = someReceipt();
			await store.messages.add({source, messages: [someMessage('gone', source)], deliveries: [], receipt});
			const after = await next();
			expect(await after.receipts.get(receipt.id)).toEqual(receipt);
			expect(await readSource(after, source.id)).toBeUndefined();
		});
	});

	describe('templates', () => {
		test('a template is found by user, provider and id, replaced and deleted', async () => {
			const {store, next} = await create();
			const [welcome, reset] = [
				someTemplate('ada', {id: 'welcome \0\ud800'}),
				someTemplate('ada', {id: 'reset', provider: 'ses', parts: {subject: 'é\0\ud800', html: '<b>{{code}}</b>'}}),
			];
			for (const template of [welcome, reset, someTemplate('bob', {id: 'reset', provider: 'ses'})]) {
				await store.templates.put(template, 9);
			}

			const {templates} = await next();
			expect(await templates.get('ada', 'ses', 'reset')).toEqual(reset);
			expect(await templates.get('ada', 'postmark', welcome.id)).toEqual(welcome);
			expect(await templates.get('ada', 'ses', 'welcome')).toBeUndefined();
			expect(await templates.list('ada')).toEqual([welcome, reset]);
			const changed = {...reset, parts: {text: 'plain'}};
			await templates.put(changed, 2);
			expect(await templates.get('ada', 'ses', 'reset')).toEqual(changed);
			expect(await templates.delete('ada', 'ses', 'reset')).toBe(true);
			expect(await templates.delete('ada', 'ses', 'reset')).toBe(false);
			expect(await templates.list('ada')).toEqual([welcome]);
			expect(await templates.list('bob')).toHaveLength(1);
		});

		test('concurrent creates of templates do not exceed the limit of a user', async () => {
			const {store} = await create();
			const puts = Array.from({length: 9}, async (_, place) =>
				store.templates.put(someTemplate('ada', {id: String(place)}), 3),
			);
			const refused = (await Promise.allSettled(puts)).filter(({status}) => status === 'rejected');
			expect(refused).toHaveLength(6);
			expect(refused[0]).toMatchObject({reason: {code: 'plan_limit'}});
			expect(await store.templates.list('ada')).toHaveLength(3);
			await store.templates.put(someTemplate('bob'), 1);
		});

		test('the templates of a user, and of all users, have a maximum size', async () => {
			const {store} = await create();
			const html = 'x'.repeat(1024 * 1024);
			const put = async (name: string, id: string, text: string) =>
				store.templates.put(someTemplate(name, {id, parts: {html: text}}), 99);
			const fill = async (name: string) => {
				for (let count = 0; count < 99; count += 1) {
					try {
						await put(name, String(count), html);
					} catch (error) {
						return {count, error};
					}
				}

				return undefined;
			};
			const problem = (of: string) => ({
				code: 'limit_reached',
				message: expect.stringContaining(`The templates of ${of} can have at most`),
			});
			expect(await fill('ada')).toMatchObject({count: 15, error: problem('a user')});
			await put('ada', '0', 'short');
			await put('ada', 'another', html);
			const others = Array.from({length: 4}, () => someUser());
			const counts: Array<number | undefined> = [];
			for (const user of others) {
				await store.users.create(user);
				const filled = await fill(user.id);
				counts.push(filled?.count);
				expect(filled?.error).toMatchObject(problem(counts.length < 4 ? 'a user' : 'all users'));
			}

			expect(counts).toEqual([15, 15, 15, 3]);
			await store.templates.delete('ada', 'postmark', 'another');
			await put(others[3]?.id ?? '', 'after', html);
		});

		test('templates are deleted with their user, and are never visible to others', async () => {
			const {store, next} = await create();
			const eve = someUser();
			await store.users.create(eve);
			await store.templates.put(someTemplate(eve.id), 9);
			await store.users.delete(eve.id);
			const {templates} = await next();
			expect(await templates.list(eve.id)).toEqual([]);
			await expect(templates.put(someTemplate(eve.id), 9)).rejects.toMatchObject({code: 'not_found'});
		});
	});
}

/** Two mails that one source has, to a new inbox. */
async function request(store: Harness['store'], size: number) {
	const inbox = someInbox();
	await store.inboxes.create(inbox);
	const bytes = randomBytes(size);
	const add = async (receipt: Receipt, at: Harness['store'] = store) => {
		const source = await stage(at, bytes);
		const messages = [0, size / 2].map(start =>
			someMessage(inbox.id, source, {
				size: size / 2 - 1,
				part: {start, end: start + size / 2 - 1, requestAt: size - 1},
			}),
		);
		await at.messages.add({source, messages, deliveries: [], receipt});
		return messages;
	};
	return {inbox, add, bytes};
}
