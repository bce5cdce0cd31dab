import {randomBytes} from 'node:crypto';
import {PassThrough, Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {describe, expect, test} from 'vitest';
import {readSource, receive, someInbox, someMessage, stage} from '../rows.js';
import type {CreateHarness} from './harness.js';

export function describeSources(create: CreateHarness): void {
	describe('sources', () => {
		test.each([0, 1, 2000, 65_535, 65_536, 65_537, 1_000_000])(
			'a source of %i bytes is stored unchanged',
			async size => {
				const {store, next} = await create();
				const inbox = someInbox();
				await store.inboxes.create(inbox);
				const bytes = randomBytes(size);
				const source = await stage(store, bytes);
				expect(source.size).toBe(size);
				expect(source.head.equals(bytes.subarray(0, source.head.length))).toBe(true);
				expect(source.head.length).toBeGreaterThanOrEqual(Math.min(size, 65_536));
				expect((await buffer(await store.sources.readStaged(source))).equals(bytes)).toBe(true);
				await store.messages.add({source, messages: [someMessage(inbox.id, source)], deliveries: []});
				expect((await readSource(await next(), source.id))?.equals(bytes)).toBe(true);
			},
		);

		test.each([1000, 200_000])('a range of a source of %i bytes can be read', async size => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const bytes = randomBytes(size);
			const {sourceId} = await receive(store, inbox.id, {bytes});
			const after = await next();
			for (const [start, end] of [
				[0, 0],
				[1, 99],
				[size / 2, size - 1],
				[size - 1, size + 100],
			] as const) {
				const read = await readSource(after, sourceId, {start, end});
				expect(read?.equals(bytes.subarray(start, end + 1))).toBe(true);
			}
		});

		test.each([10, 100_000])('a source of %i bytes is kept until its last message is deleted', async size => {
			const {store, next} = await create();
			const inboxes = [someInbox(), someInbox()];
			const source = await stage(store, randomBytes(size));
			const messages = inboxes.map(({id}) => someMessage(id, source));
			for (const inbox of inboxes) {
				await store.inboxes.create(inbox);
			}

			await store.messages.add({source, messages, deliveries: []});
			await store.messages.delete(messages[0]?.id ?? '');
			expect(await readSource(await next(), source.id)).toHaveLength(size);
			const after = await next();
			await after.inboxes.delete(inboxes[1]?.id ?? '');
			expect(await readSource(after, source.id)).toBeUndefined();
		});

		test.each([10, 100_000])('a stream that fails after %i bytes leaves no source', async size => {
			const {store} = await create();
			const stream = new PassThrough();
			stream.write(randomBytes(size));
			const staging = store.sources.stage(stream);
			setImmediate(() => stream.destroy());
			await expect(staging).rejects.toThrow();

			const failed = new PassThrough();
			failed.write(randomBytes(size));
			const failing = store.sources.stage(failed);
			setImmediate(() => failed.destroy(new Error('connection reset')));
			await expect(failing).rejects.toThrow('connection reset');
		});

		test.each([10, 100_000])('a staged source of %i bytes can be discarded', async size => {
			const {store, next} = await create();
			const source = await stage(store, randomBytes(size));
			await store.sources.discard(source);
			await store.sources.discard(source);
			expect(await (await next()).sources.read(source.id)).toBeUndefined();
		});

		test('mail for a deleted inbox is accepted and leaves nothing', async () => {
			const {store, next} = await create();
			const message = await receive(store, 'no inbox', {bytes: randomBytes(100_000)});
			expect(await readSource(await next(), message.sourceId)).toBeUndefined();
		});

		test('staging settles for a stream that ended or was destroyed before', async () => {
			const {store} = await create();
			const destroyed = new PassThrough();
			destroyed.destroy();
			await expect(store.sources.stage(destroyed)).rejects.toThrow();
			expect((await store.sources.stage(Readable.from([]))).size).toBe(0);
		});
	});
}

export function describeClosing(create: CreateHarness): void {
	describe('closing', () => {
		test('closing a store finishes running writes and rejects new ones', async () => {
			const {store, next} = await create();
			const inbox = someInbox();
			await store.inboxes.create(inbox);
			const receiving = receive(store, inbox.id);
			const creating = store.inboxes.create(someInbox({address: 'late@tinbox.test'}));
			await Promise.all([receiving, creating]);
			const deleting = store.messages.delete((await receiving).id);
			await store.close();
			expect(await deleting).toBe(true);
			await expect(store.inboxes.delete(inbox.id)).rejects.toMatchObject({code: 'stopping'});
			await expect(stage(store, Buffer.from('x'))).rejects.toMatchObject({code: 'stopping'});
			expect(await (await next()).messages.count(inbox.id)).toBe(0);
		});
	});
}
