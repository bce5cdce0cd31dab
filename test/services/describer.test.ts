import {Readable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import {describe, expect, test, vi} from 'vitest';
import {AppError} from '../../src/domain/errors.js';
import type {Parser} from '../../src/mime/parser.js';
import type {MessageStore, Store} from '../../src/store/store.js';
import {mail, openTinbox, type Person, Tinbox} from '../helpers/tinbox.js';

/** The store, with some operations on messages replaced. */
function withMessages(store: Store, operations: Partial<MessageStore>): Store {
	return {...store, messages: {...store.messages, ...operations}};
}

async function createInbox(tinbox: Tinbox, {user}: Person) {
	return (await tinbox.services.inboxes.create(user, {name: null, teamId: null, claim: null, ttlSeconds: null})).inbox;
}

async function subjects(tinbox: Tinbox, {user}: Person, inboxId: string): Promise<readonly string[]> {
	const rows = await tinbox.services.messages.list(user, inboxId, {}, {page: 1, limit: 100});
	return rows.map(({summary}) => summary?.subject ?? 'undescribed');
}

const firstPage = {page: 1, limit: 20};

test('mails that come in while the parser is busy are read together', async () => {
	const calls: number[] = [];
	let release = () => {};
	const released = new Promise<void>(resolve => {
		release = resolve;
	});
	const tinbox = await openTinbox({
		wrapParser: (parser: Parser): Parser => ({
			...parser,
			summarize: async heads => {
				calls.push(heads.length);
				await released;
				return parser.summarize(heads);
			},
		}),
	});
	const ann = await tinbox.user('ann');
	const inbox = await createInbox(tinbox, ann);
	await tinbox.deliver(inbox.address, mail('first'));
	await vi.waitFor(() => expect(calls).toEqual([1]));
	for (let count = 1; count < 250; count++) {
		await tinbox.deliver(inbox.address, mail(`mail ${count}`));
	}

	release();
	const rows = await tinbox.services.messages.list(ann.user, inbox.id, {}, {page: 1, limit: 100});
	expect(rows.map(({summary}) => summary?.subject)).not.toContain(undefined);
	expect(calls.reduce((sum, count) => sum + count)).toBe(250);
	expect(calls.length).toBeLessThan(10);
});

test('a mail that nobody could describe before a crash is described at the next start, and before anyone asks', async () => {
	const before = await Tinbox.open({
		wrapStore: store =>
			withMessages(store, {
				describe: async () => {
					throw new Error('The power is off.');
				},
			}),
	});
	const ann = await before.user('ann');
	const inbox = await createInbox(before, ann);
	const large = mail('large', 'x'.repeat(300_000));
	await before.deliver(inbox.address, mail('small'));
	await before.deliver(inbox.address, large);
	expect(await subjects(before, ann, inbox.id)).toEqual(['undescribed', 'undescribed']);
	expect(before.logged.map(({message}) => message).join()).toContain('could not be described');

	const after = await before.restart({});
	expect(await after.store.messages.undescribed()).toEqual([]);
	expect(await subjects(after, ann, inbox.id)).toEqual(['large', 'small']);
	await after.close();
});

describe('when the disk is full just after a mail was stored', () => {
	test('the mail is shown by its envelope, and by its header once there is room', async () => {
		let isFull = true;
		const tinbox = await openTinbox({
			wrapStore: store =>
				withMessages(store, {
					describe: async summaries => {
						if (isFull) {
							throw new AppError('storage_full', 'There is no room.');
						}

						await store.messages.describe(summaries);
					},
				}),
		});
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const path = `/inboxes/${inbox.id}/messages`;
		const waiting = tinbox.request('GET', `${path}?wait=60`, {key: ann.key});
		const forCode = tinbox.request('GET', `${path}?wait=60&q=code`, {key: ann.key});
		await vi.waitFor(() => expect(tinbox.services.feed.waiting(inbox.id)).toBe(2));
		await tinbox.deliver(inbox.address, mail('Your code'), 'bounce@example.com');
		expect(await (await waiting).json()).toMatchObject([{from: 'bounce@example.com', subject: '', text: 'Hello\n'}]);

		isFull = false;
		expect(await (await forCode).json()).toMatchObject([{from: 'ann@example.com', subject: 'Your code'}]);
	});
});

describe('a list that is asked for while mail comes in', () => {
	test('never shows a message without its header', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		let delivered = 0;
		const sending = (async () => {
			for (; delivered < 100; delivered++) {
				await tinbox.deliver(inbox.address, mail(`mail ${delivered}`));
			}
		})();
		while (delivered < 100) {
			// Lists wait for nothing here, and would leave no time for anything else.
			await setImmediate();
			const atLeast = delivered;
			const found = await subjects(tinbox, ann, inbox.id);
			expect(found).not.toContain('undescribed');
			expect(found.length).toBeGreaterThanOrEqual(atLeast);
		}

		await sending;
		expect(await subjects(tinbox, ann, inbox.id)).toHaveLength(100);
	});
});

describe('delivery', () => {
	test('leaves nothing behind when the source fails', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const inbox = await createInbox(tinbox, ann);
		const source = Readable.from(
			(function* () {
				yield Buffer.alloc(200_000);
				throw new AppError('too_large', 'The mail is too large.');
			})(),
		);
		const envelope = {from: '', to: [inbox.address]};
		await expect(tinbox.services.messages.deliver(envelope, source)).rejects.toMatchObject({code: 'too_large'});
		expect(await tinbox.services.messages.list(ann.user, inbox.id, {}, firstPage)).toEqual([]);
	});

	test('drops what an inbox deleted in the meantime would have got', async () => {
		const tinbox = await openTinbox();
		const ann = await tinbox.user('ann');
		const [gone, there] = [await createInbox(tinbox, ann), await createInbox(tinbox, ann)];
		const source = Readable.from(
			(async function* () {
				yield Buffer.from('Subject: late\r\n\r\n');
				await tinbox.services.inboxes.delete(ann.user, gone.id);
				yield Buffer.from('text\r\n');
			})(),
		);
		await tinbox.services.messages.deliver({from: '', to: [gone.address, there.address]}, source);
		expect(await subjects(tinbox, ann, there.id)).toEqual(['late']);
		await expect(subjects(tinbox, ann, gone.id)).rejects.toMatchObject({code: 'not_found'});
	});
});
