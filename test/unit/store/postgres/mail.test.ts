import {randomBytes} from 'node:crypto';
import {PassThrough} from 'node:stream';
import fc from 'fast-check';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {AppError} from '../../../../src/domain/errors.js';
import {unlimitedRetention} from '../../../../src/domain/mail/inbox.js';
import type {Message} from '../../../../src/domain/mail/message.js';
import type {CheckUsage} from '../../../../src/store/port.js';
import {GroupCommit} from '../../../../src/store/postgres/mail-commit.js';
import {Database} from '../../../../src/store/postgres/session/database.js';
import {Primary} from '../../../../src/store/postgres/session/primary.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {askDatabase} from '../../../helpers/postgres-cluster.js';
import {recordingLog} from '../json-fixture.js';
import {hasNoPostgres, keyFileFor, newDatabase, openNode, testCluster} from '../postgres-fixture.js';
import {
	at,
	bounced,
	readSource,
	receive,
	someInbox,
	someMessage,
	someSummary,
	someUser,
	stage,
	walked,
} from '../rows.js';
import {startRelay} from './relay.js';

type Node = Awaited<ReturnType<typeof openNode>>;

const firstPage = {page: 1, limit: 10_000};

describe.skipIf(hasNoPostgres)('mail on PostgreSQL', () => {
	/** Opens several nodes on one database, by default a new one, and creates an inbox. */
	const openNodes = async (count: number, database?: string) => {
		const url = database ?? (await newDatabase());
		const [first, ...others] = await openAll(url, count);
		const owner = someUser();
		const inbox = someInbox({ownerId: owner.id});
		await first.users.create(owner);
		await first.inboxes.create(inbox);
		const rowsOf = async (table: string) =>
			Number((await askDatabase(url, `select count(*) from tinbox.${table}`))[0]?.['count']);
		return {url, nodes: [first, ...others] as const, inbox, rowsOf};
	};

	describe('concurrent mail', () => {
		test('concurrent mails share transactions, and each has its own outcome', async () => {
			const {url, nodes, inbox} = await openNodes(1);
			const [store] = nodes;
			const refuse: CheckUsage = () => {
				throw new AppError('limit_reached', 'Too much.');
			};
			const mails = await Promise.all(
				Array.from({length: 40}, async (_, number) => {
					const source = await stage(store, Buffer.from(`mail ${number}`));
					const message = someMessage(number % 4 === 1 ? 'no inbox' : inbox.id, source);
					return {source, messages: [message], deliveries: [], ...(number % 4 === 2 && {check: refuse})};
				}),
			);
			const outcomes = await Promise.allSettled(mails.map(async mail => store.messages.add(mail)));
			expect(outcomes.map(({status}) => status)).toEqual(
				mails.map((_, number) => (number % 4 === 2 ? 'rejected' : 'fulfilled')),
			);
			const stored = mails
				.filter((_, number) => number % 4 === 0 || number % 4 === 3)
				.flatMap(({messages}) => messages);
			const listed = await store.messages.list(inbox.id, {}, firstPage);
			expect(new Set(listed)).toEqual(new Set(stored));
			expect((await store.usage(inbox.ownerId)).messages).toBe(stored.length);
			const [commits] = await askDatabase(url, 'select count(distinct xmin::text) from tinbox.messages');
			expect(Number(commits?.['count'])).toBeLessThanOrEqual(4);
		});

		test('concurrent mail at several nodes keeps a limit exactly', async () => {
			const {nodes, inbox} = await openNodes(3);
			const check: CheckUsage = (_, {messages}) => {
				if (messages > 20) {
					throw new AppError('limit_reached', 'Too much.');
				}
			};
			const adding = Array.from({length: 60}, async (_, number) => {
				const store = nodes[number % 3] ?? nodes[0];
				const source = await stage(store, Buffer.from('mail'));
				await store.messages.add({source, messages: [someMessage(inbox.id, source)], deliveries: [], check});
			});
			const outcomes = await Promise.allSettled(adding);
			expect(outcomes.filter(({status}) => status === 'fulfilled')).toHaveLength(20);
			expect(await nodes[1]?.messages.count(inbox.id)).toBe(20);
		});

		test('readers see concurrent mail of several nodes exactly once', async () => {
			const {nodes, inbox} = await openNodes(3);
			const [reader] = nodes;
			let isOver = false;
			const sending = nodes.map(async store => {
				for (let number = 0; number < 60; number++) {
					await receive(store, inbox.id);
				}
			});
			const all = Promise.all(sending).finally(() => {
				isOver = true;
			});
			const read: Message[] = [];
			let position = 0;
			for (let isLast = false; !isLast; ) {
				isLast = isOver;
				const newest = await reader.messages.newest(inbox.id);
				const found = await walked(reader, inbox.id, {}, position);
				const ids = new Set(read.map(({id}) => id));
				read.push(...found.filter(({id}) => !ids.has(id)).toReversed());
				position = newest;
			}

			await all;
			const listed = await reader.messages.list(inbox.id, {}, firstPage);
			expect(listed).toHaveLength(180);
			expect(read.map(({id}) => id)).toEqual(listed.toReversed().map(({id}) => id));
		});
	});

	test('mail is stored once and acknowledged even if notifying others fails', async () => {
		const {url, nodes, inbox} = await openNodes(1);
		const [store] = nodes;
		const {log, entries} = recordingLog();
		const primary = await Primary.find(readConnectionSettings(url, {}), log);
		const database = new Database(primary);
		onTestFinished(async () => database.close());
		const committed = () => {
			throw new Error('nobody hears');
		};
		const commit = new GroupCommit(database, {
			nodeId: 'another',
			usage: store.usage,
			events: {committed},
			leases: {note: () => {}},
			retention: unlimitedRetention,
			cleaner: {add: () => {}},
			log,
		});
		const adding = Array.from({length: 3}, async () => {
			const source = await stage(store, Buffer.from('mail'));
			return commit.add({source, messages: [someMessage(inbox.id, source)], deliveries: []});
		});
		expect(await Promise.all(adding)).toEqual([true, true, true]);
		expect(await store.messages.count(inbox.id)).toBe(3);
		expect(entries).toMatchObject([{level: 'error'}]);
	});

	describe('mail whose commit is not answered', () => {
		const server = testCluster();

		test('mail is acknowledged if the unanswered commit succeeded', async () => {
			const {url, nodes, inbox} = await openNodes(1);
			const relay = await startRelay(url);
			const store = await openNode(relay.url, {keyFile: keyFileFor(url)});
			await receive(store, inbox.id);
			const cut = relay.cutAt('COMMIT');
			const message = await receive(store, inbox.id);
			await cut;
			expect(await nodes[0].messages.list(inbox.id, {}, {page: 1, limit: 1})).toEqual([message]);
			expect(await nodes[0].messages.count(inbox.id)).toBe(2);
		});

		test('mail is rejected if the unanswered commit failed', async () => {
			const {url, nodes, inbox, rowsOf} = await openNodes(1);
			const relay = await startRelay(url);
			const store = await openNode(relay.url, {keyFile: keyFileFor(url)});
			await receive(store, inbox.id);
			// Periodic work of the nodes adds no transaction here.
			const cut = relay.cutAt('INSERT 0 1');
			await expect(receive(store, inbox.id)).rejects.toMatchObject({code: 'unavailable'});
			await cut;
			expect(await nodes[0].messages.count(inbox.id)).toBe(1);
			expect(await rowsOf('sources')).toBe(1);
		});

		test('mail waits for an unanswered commit that is still running', async () => {
			const {url, nodes, inbox} = await openNodes(1, await server.database());
			const [store] = nodes;
			const configure = async (standbys: string) => {
				await askDatabase(url, `alter system set synchronous_standby_names = '${standbys}'`);
				await askDatabase(url, 'select pg_reload_conf()');
			};
			const waiting = async () =>
				askDatabase(url, `select pid from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`);
			await configure('nobody');
			try {
				const receiving = receive(store, inbox.id);
				await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), 10_000);
				const [session] = await waiting();
				let isOver = false;
				const settled = receiving.finally(() => {
					isOver = true;
				});
				await askDatabase(url, `select pg_terminate_backend(${session?.['pid']})`);
				await vi.waitFor(async () => expect(await waiting()).toEqual([]), 10_000);
				await configure('');
				const message = await settled;
				expect(isOver).toBe(true);
				expect(await store.messages.get(message.id)).toEqual(message);
			} finally {
				await configure('');
			}
		});
	});

	describe('large mail', () => {
		test('a large mail that is aborted or rejected leaves nothing in the database', async () => {
			const {nodes, rowsOf, inbox} = await openNodes(1);
			const [store] = nodes;
			const stream = new PassThrough();
			stream.write(randomBytes(600_000));
			const staging = store.sources.stage(stream);
			await vi.waitFor(async () => expect(await rowsOf('source_chunks')).toBe(2));
			stream.destroy();
			await expect(staging).rejects.toThrow();
			await store.sources.discard(await stage(store, randomBytes(600_000)));
			await receive(store, 'no inbox', {bytes: randomBytes(600_000)});
			await receive(store, inbox.id, {bytes: randomBytes(10)});
			expect([await rowsOf('source_chunks'), await rowsOf('sources')]).toEqual([0, 1]);
		});

		test('a large mail is rejected if its upload was deleted meanwhile', async () => {
			const {url, nodes, inbox} = await openNodes(1);
			const [store] = nodes;
			const source = await stage(store, randomBytes(100_000));
			await askDatabase(url, `delete from tinbox.sources where id = '${source.id}'`);
			const adding = store.messages.add({source, messages: [someMessage(inbox.id, source)], deliveries: []});
			await expect(adding).rejects.toMatchObject({code: 'unavailable'});
			expect(await store.messages.count(inbox.id)).toBe(0);
		});

		test('unfinished uploads of a stopped node are deleted later', async () => {
			const {url, rowsOf, nodes} = await openNodes(1);
			await stage(nodes[0], randomBytes(100_000));
			await askDatabase(url, `update tinbox.sources set staged_at = now() - interval '2 days'`);
			await openNode(url);
			await vi.waitFor(async () => expect(await rowsOf('source_chunks')).toBe(0), 10_000);
			expect(await rowsOf('sources')).toBe(0);
		});
	});

	test('the next node finishes a deletion that was interrupted', async () => {
		const {url, nodes, inbox, rowsOf} = await openNodes(1);
		const [store] = nodes;
		const source = await stage(store, randomBytes(100_000));
		const messages = Array.from({length: 2500}, () => someMessage(inbox.id, source));
		await store.messages.add({source, messages, deliveries: []});
		await bounced(store, {}, inbox.id);
		await askDatabase(
			url,
			`with cleared as (
				update tinbox.inboxes set cleared_place = last_place, messages = 0 returning id, owner_id, last_place
			)
			insert into tinbox.message_deletions select id, owner_id, last_place from cleared`,
		);
		expect(await store.messages.list(inbox.id, {}, firstPage)).toEqual([]);
		const later = await receive(store, inbox.id);
		await openNode(url);
		await vi.waitFor(async () => expect(await rowsOf('message_deletions')).toBe(0), 10_000);
		expect(await store.messages.list(inbox.id, {}, firstPage)).toEqual([later]);
		expect([await rowsOf('messages'), await rowsOf('sources'), await rowsOf('source_chunks')]).toEqual([1, 1, 0]);
		expect(await rowsOf('bounces')).toBe(0);
		expect((await store.usage(inbox.ownerId)).messages).toBe(1);
	});

	test('any text in mail is stored unchanged', async () => {
		const {nodes, inbox} = await openNodes(2);
		const text = fc.string({unit: 'binary', maxLength: 40});
		await fc.assert(
			fc.asyncProperty(text, text, async (subject, fromName) => {
				const hostile = {subject: `${subject}\0\ud800\ue000`, fromName};
				const message = await receive(nodes[0], inbox.id, {summary: someSummary(hostile)});
				expect(await nodes[1]?.messages.get(message.id)).toEqual(message);
			}),
			{numRuns: 30},
		);
	});

	test('a range of messages equals the range of a list in memory, also after clocks were set back and mail was deleted', async () => {
		const {nodes} = await openNodes(2);
		const step = fc.oneof(
			{weight: 6, arbitrary: fc.record({seconds: fc.nat(9)})},
			{weight: 2, arbitrary: fc.record({remove: fc.nat(20)})},
			{weight: 1, arbitrary: fc.constant({clear: true} as const)},
		);
		await fc.assert(
			fc.asyncProperty(fc.array(step, {maxLength: 25}), async steps => {
				const [store, other] = nodes;
				const owner = someUser();
				const inbox = someInbox({ownerId: owner.id});
				await store.users.create(owner);
				await store.inboxes.create(inbox);
				const all: Message[] = [];
				let there: Message[] = [];
				for (const taken of steps) {
					if ('seconds' in taken) {
						const message = await receive(store, inbox.id, {receivedAt: at(taken.seconds)});
						all.push(message);
						there.push(message);
					} else if ('remove' in taken) {
						const [removed] = there.splice(taken.remove % (there.length + 1), 1);
						expect(await store.messages.delete(removed?.id ?? '')).toBe(removed !== undefined);
					} else {
						await store.messages.deleteAll(inbox.id);
						there = [];
					}
				}

				for (const since of [undefined, at(0), at(4), at(10)]) {
					for (const after of [undefined, '0', ...all.map(({id}) => id)]) {
						const behind = there.filter(({id, receivedAt}) => id > (after ?? '') && receivedAt >= (since ?? ''));
						const found = await other?.messages.list(inbox.id, {since, after}, firstPage);
						expect(found).toEqual(behind.toReversed());
						const page = await other?.messages.list(inbox.id, {since, after}, {page: 2, limit: 3});
						expect(page).toEqual(behind.toReversed().slice(3, 6));
					}
				}

				expect(await other?.messages.count(inbox.id)).toBe(there.length);
				expect((await other?.usage(owner.id))?.messages).toBe(there.length);
				for (const {id, sourceId} of all) {
					const bytes = await readSource(store, sourceId);
					expect(bytes !== undefined).toBe(there.some(message => message.id === id));
				}
			}),
			{numRuns: 25},
		);
	});
});

async function openAll(url: string, count: number): Promise<[Node, ...Node[]]> {
	const first = await openNode(url);
	return [first, ...(await Promise.all(Array.from({length: count - 1}, async () => openNode(url))))];
}
