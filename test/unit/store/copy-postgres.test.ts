import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type CopiedStore, type CopyProgress, copyStore} from '../../../src/store/copy.js';
import type {Store} from '../../../src/store/port.js';
import {anyContent, type Content, contentOf, fill, fullContent, inOrder} from './copy-rows.js';
import {openStore, temporaryFolder} from './json-fixture.js';
import {hasNoPostgres, newDatabase, openNode} from './postgres-fixture.js';
import {readSource} from './rows.js';

async function copy(from: CopiedStore, to: CopiedStore, onProgress: (progress: CopyProgress) => void = () => {}) {
	return copyStore({from, to, onProgress, signal: new AbortController().signal});
}

async function folderStore(): Promise<Store> {
	return openStore(await temporaryFolder(), {isForCopy: true});
}

describe.skipIf(hasNoPostgres)('a store copy on PostgreSQL', {timeout: 120_000}, () => {
	const databaseStore = async () => openNode(await newDatabase(), {isForCopy: true});

	test('has the same rows, mail and counts, also after it is copied back', async () => {
		const copyAndBack = async (content: Content, from: Store, database: Store, to: Store) => {
			await fill(from, content);
			await copy(from, database);
			for (const {id} of content.users) {
				expect(await database.usage(id)).toEqual(await from.usage(id));
			}

			for (const {id, address, evicted = 0} of content.inboxes) {
				expect((await database.inboxes.byAddress(address))?.id).toBe((await from.inboxes.byAddress(address))?.id);
				expect(await database.messages.evicted(id)).toBe(evicted);
			}

			await copy(database, to);
			expect(inOrder(await contentOf(to))).toEqual(inOrder(content));
		};
		const check = async (content: Content) => {
			const stores = [await folderStore(), await databaseStore(), await folderStore()] as const;
			await copyAndBack(content, ...stores).finally(async () => Promise.all(stores.map(async store => store.close())));
		};
		await fc.assert(fc.asyncProperty(anyContent, check), {numRuns: 3});
	});

	test('continues after an interruption', async () => {
		const content = fullContent(500);
		const [from, to] = [await folderStore(), await databaseStore()];
		await fill(from, content);
		for (const stop of [100, 300]) {
			const controller = new AbortController();
			const onProgress = ({done}: CopyProgress) => done > stop && controller.abort();
			await expect(copyStore({from, to, onProgress, signal: controller.signal})).rejects.toThrow();
		}

		const steps: CopyProgress[] = [];
		expect(await copy(from, to, progress => steps.push(progress))).toMatchObject({users: 1, messages: 500});
		expect(steps[0]?.done).toBeGreaterThan(300);
		const [inbox] = content.inboxes;
		const {messages, bytes} = await to.usage(inbox?.ownerId);
		expect({messages, bytes}).toEqual({messages: 500, bytes: 500 * 2048});
	});

	test('replaces an unfinished upload of a large mail', async () => {
		const content = fullContent(1);
		const [message] = content.messages;
		const large = Buffer.alloc(700_000, 'large ');
		const [from, to] = [await folderStore(), await databaseStore()];
		await fill(from, {...content, bytes: new Map([[message?.sourceId ?? '', large]])});
		const upload = await from.sources.read(message?.sourceId ?? '');
		await to.sources.stage(upload ?? expect.unreachable(), message?.sourceId);
		await copy(from, to);
		expect((await readSource(to, message?.sourceId ?? ''))?.equals(large)).toBe(true);
	});

	test('cannot be opened by a daemon before it is finished', async () => {
		const url = await newDatabase();
		const to = await openNode(url, {isForCopy: true});
		await to.dump.setMark({from: 'another', isWhole: false});
		await to.close();
		await expect(openNode(url)).rejects.toThrow(
			'The database contains an unfinished copy. Finish it: tinbox store copy',
		);
	});

	test('cannot be written by two processes at once', async () => {
		const url = await newDatabase();
		await openNode(url, {isForCopy: true});
		await expect(openNode(url, {isForCopy: true})).rejects.toThrow(
			'Another "tinbox store copy" is running in the database. Wait until it ends.',
		);
	});
});
