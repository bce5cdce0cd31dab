import fc from 'fast-check';
import postgres from 'postgres';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {type FeedItem, topics} from '../../../../src/domain/feed.js';
import type {EventListener, EventStore} from '../../../../src/store/port.js';
import {ownHorizon, removeOldEvents} from '../../../../src/store/postgres/event-log.js';
import {hasNoPostgres, openNode, testCluster} from '../postgres-fixture.js';

const inbox = {id: 'i1', ownerId: 'ada', teamId: null};

function received(messageId: string): FeedItem {
	return {type: 'message.received', messageId, inbox};
}

/** Sessions that behave like other nodes. */
function sessions(url: string, max = 8) {
	const sql = postgres(url, {max, connection: {search_path: 'tinbox'}, onnotice: () => {}});
	onTestFinished(async () => sql.end({timeout: 1}));
	return sql;
}

async function soon(check: () => void | Promise<void>): Promise<void> {
	await vi.waitFor(check);
}

type Session = Awaited<ReturnType<ReturnType<typeof sessions>['reserve']>>;

async function add(sql: Session, id: string): Promise<void> {
	await sql`insert into events (node, items) values ('other', ${sql.json([received(id)])})`;
}

/** A reader that continues at its cursor. */
class Reading {
	readonly ids: string[] = [];
	readonly #events: EventStore;
	cursor = '';

	constructor(events: EventStore) {
		this.#events = events;
	}

	async start(): Promise<this> {
		this.cursor = await this.#events.end();
		return this;
	}

	async more(maxItems = 100): Promise<readonly string[]> {
		const reading = await this.#events.read(this.cursor, maxItems);
		expect(reading).toBeDefined();
		this.ids.push(...(reading?.items ?? []).map(item => ('messageId' in item ? item.messageId : item.type)));
		this.cursor = reading?.cursorAfter(reading.items.length) ?? '';
		return this.ids;
	}
}

/** A listener that waits for some topics and records its calls. */
class Waiter implements EventListener {
	readonly rung = new Set<string>();
	readonly #topics: readonly string[];

	constructor(...topicNames: readonly string[]) {
		this.#topics = topicNames;
	}

	wake(topicNames: Iterable<string> = this.#topics): void {
		for (const topic of topicNames) {
			this.rung.add(topic);
		}
	}

	waiting(topic: string): number {
		return this.#topics.includes(topic) ? 1 : 0;
	}

	get size(): number {
		return this.#topics.length;
	}
}

describe.skipIf(hasNoPostgres)('events on PostgreSQL', () => {
	const server = testCluster();

	test('no reader skips events of a transaction that began first and ended last', async () => {
		const url = await server.database();
		const {events} = await openNode(url);
		const reading = await new Reading(events).start();
		const [early, late] = [await sessions(url).reserve(), await sessions(url).reserve()];
		await early`begin`;
		await add(early, 'early');
		await late`begin`;
		await add(late, 'late');
		await late`commit`;
		expect(await reading.more()).toEqual([]);
		const waiter = new Waiter(topics.everything);
		events.listen(waiter);
		await reading.more();
		waiter.rung.clear();
		await early`commit`;
		// No notification is sent: the node reads again because rows were held back.
		await soon(() => expect(waiter.rung).toContain(topics.everything));
		expect(await reading.more()).toEqual(['early', 'late']);
	});

	test('a long transaction of another database delays no events; one of this database delays later events', async () => {
		const url = await server.database();
		const [{events}, other] = [await openNode(url), await openNode(url)];
		const foreign = await sessions(await server.database()).reserve();
		await foreign`begin`;
		await foreign`select pg_current_xact_id()`;
		const reading = await new Reading(events).start();
		const waiter = new Waiter(topics.everything);
		events.listen(waiter);
		const addEvent = async (id: string) => {
			waiter.rung.clear();
			await other.events.append([received(id)]);
			await soon(() => expect(waiter.rung).toContain(topics.everything));
			expect((await reading.more()).at(-1)).toBe(id);
		};
		await addEvent('1');
		await addEvent('2');
		// The other node polls as usual and still accepts the cursor.
		expect((await other.events.read(reading.cursor, 10))?.items).toEqual([]);
		expect((await other.events.read(reading.cursor, 10))?.cursorAfter(0)).toBe(reading.cursor);
		expect(await other.events.isSameScope('ada', reading.cursor)).toBe(true);

		const own = await sessions(url).reserve();
		await own`begin`;
		await add(own, 'early');
		await other.events.append([received('late')]);
		for (let look = 0; look < 20; look++) {
			expect(await reading.more()).toEqual(['1', '2']);
		}

		waiter.rung.clear();
		await own`commit`;
		await soon(() => expect(waiter.rung).toContain(topics.everything));
		expect(await reading.more()).toEqual(['1', '2', 'early', 'late']);
		await foreign`commit`;
		await addEvent('3');
	});

	test('transactions of other databases delay events if they cannot be distinguished', async () => {
		const url = await server.database();
		const sql = sessions(url);
		const {events} = await openNode(url);
		await events.append([received('1')]);
		expect(await ownHorizon(sql as unknown as Parameters<typeof ownHorizon>[0])).toBeGreaterThan(0);
		await sql`create role somebody`;
		const limited = await sql.reserve();
		await limited`set role somebody`;
		expect(await ownHorizon(limited as unknown as Parameters<typeof ownHorizon>[0])).toBe(0);
	});

	type Step = {readonly session: number; readonly ending: 'commit' | 'rollback'};

	/**
	 * Each session writes in its first step and ends in its second one. A reader reads between the steps. Resolves to the
	 * committed events in writing order, and to the events read by cursor and by row number.
	 */
	async function interleave(url: string, events: EventStore, steps: readonly Step[], run: number) {
		const sql = sessions(url, 6);
		const reading = await new Reading(events).start();
		const numbered: string[] = [];
		const open = new Map<number, {sql: Session; id: string}>();
		const written: string[] = [];
		const committed = new Set<string>();
		const [{last}] = await sql<[{last: number}]>`select coalesce(max(number), 0)::int as last from numbered`;
		let number = last;
		const end = async (session: number, ending: Step['ending']) => {
			const {sql: own, id} = open.get(session) ?? {};
			await own?.unsafe(ending);
			own?.release();
			open.delete(session);
			if (ending === 'commit') {
				committed.add(id ?? '');
			}
		};
		const read = async () => {
			await reading.more(2);
			const rows = await sql<{number: number; id: string}[]>`
				select number::int, id from numbered where number > ${number} order by number
			`;
			numbered.push(...rows.map(({id}) => id));
			number = rows.at(-1)?.number ?? number;
		};
		for (const [index, {session, ending}] of steps.entries()) {
			if (open.has(session)) {
				await end(session, ending);
			} else {
				const own = await sql.reserve();
				const id = `${run}-${index}`;
				open.set(session, {sql: own, id});
				written.push(id);
				await own`begin`;
				await add(own, id);
				await own`insert into numbered (id) values (${id})`;
			}

			await read();
		}

		for (const session of [...open.keys()]) {
			await end(session, 'commit');
		}

		const expected = written.filter(id => committed.has(id));
		for (let look = 0; look < 1000 && reading.ids.length < expected.length; look++) {
			await reading.more(2);
		}

		await read();
		await sql.end();
		return {expected, ids: reading.ids, numbered};
	}

	const step: fc.Arbitrary<Step> = fc.record({
		session: fc.integer({min: 0, max: 3}),
		ending: fc.constantFrom('commit', 'commit', 'rollback'),
	});

	/** The first transaction to write is the last one to commit. */
	const lateCommit = [0, 1, 1, 0].map(session => ({session, ending: 'commit'}) as const);

	test.each([
		['without other databases', false],
		['beside a long transaction of another database', true],
	])(
		'events of overlapping transactions, %s, are read once and in one order, while reading by row number skips some',
		async (_where, hasForeign) => {
			const url = await server.database();
			const {events} = await openNode(url);
			if (hasForeign) {
				const foreign = await sessions(await server.database()).reserve();
				await foreign`begin`;
				await foreign`select pg_current_xact_id()`;
				const start = await events.end();
				await events.append([received('first')]);
				await soon(async () => expect((await events.read(start, 10))?.items).toHaveLength(1));
			}

			await sessions(url)`create table numbered (number bigint generated always as identity, id text)`;
			let run = 0;
			let skipped = 0;
			await fc.assert(
				fc.asyncProperty(fc.array(step, {minLength: 4, maxLength: 16}), async steps => {
					const {expected, ids, numbered} = await interleave(url, events, steps, run++);
					expect(ids).toEqual(expected);
					skipped += expected.length - new Set(numbered).size;
				}),
				{numRuns: 20, examples: [[lateCommit]]},
			);
			expect(skipped).toBeGreaterThan(0);
		},
	);

	test('a cursor is valid on all nodes, also after the end of the node that issued it', async () => {
		const url = await server.database();
		const one = await openNode(url);
		const cursor = await one.events.end();
		await one.events.append([received('1'), received('2')]);
		const middle = (await one.events.read(cursor, 10))?.cursorAfter(1) ?? '';
		await one.close();
		const {events} = await openNode(url);
		await events.append([received('3')]);
		const ids = async (from: string) =>
			(await events.read(from, 10))?.items.map(item => 'messageId' in item && item.messageId);
		expect(await ids(cursor)).toEqual(['1', '2', '3']);
		expect(await ids(middle)).toEqual(['2', '3']);
		expect(await events.isSameScope('ada', middle)).toBe(true);
	});

	test('a notification wakes the waiters of its topics on another node', async () => {
		const url = await server.database();
		const [one, other] = [await openNode(url), await openNode(url)];
		const waiter = new Waiter('i1', 'ada', topics.everything);
		one.events.listen(waiter);
		await other.events.append([received('1'), {type: 'scope', userIds: ['ada']}]);
		await soon(() => expect([...waiter.rung].sort()).toEqual(['ada', topics.everything, 'i1']));
	});

	test('notifications contain topics only, and a single node sends none', async () => {
		const url = await server.database();
		const payloads: string[] = [];
		const sql = sessions(url, 1);
		await sql.listen('tinbox', payload => payloads.push(payload));
		const {events, nodes} = await openNode(url, {node: {id: 'one', name: 'host', version: '1'}});
		const node = {id: 'one', name: 'host', version: '1', address: '', waits: 0, sessions: 0};
		await soon(() => expect(payloads).toEqual(['one,everything']));
		await events.append([{type: 'delivery.changed', deliveryId: 'd', endpointId: 'e'}]);
		await soon(() => expect(payloads).toEqual(['one,everything', 'one,everything']));
		await nodes.beat(node);
		await events.append([received('1')]);
		await openNode(url, {node: {id: 'two', name: 'host', version: '1'}});
		await soon(() => expect(payloads).toContain('two,everything'));
		await soon(async () => {
			await events.append([received('2')]);
			expect(payloads).toContain('one,everything,i1');
		});
		expect(payloads.filter(payload => payload === 'one,everything')).toHaveLength(2);
	});

	test('very many topics are split into several notifications', async () => {
		const url = await server.database();
		const [one, other] = [await openNode(url), await openNode(url)];
		const ids = Array.from({length: 1000}, (_, index) => `${index}`.padStart(36, '0'));
		const waiter = new Waiter(...ids);
		one.events.listen(waiter);
		await other.events.append(ids.map(id => ({type: 'inbox.changed', inbox: {...inbox, id}})));
		await soon(() => expect(waiter.rung.size).toBe(1000));
	});

	test('polling finds events of a lost notification, and the listening session is restored', async () => {
		const url = await server.database();
		const [one, other] = [await openNode(url), await openNode(url)];
		const sql = sessions(url, 1);
		await sql`
			select pg_terminate_backend(pid) from pg_stat_activity
			where query like 'listen%' and datname = current_database()
		`;
		const waiter = new Waiter('i1');
		one.events.listen(waiter);
		// Simulates a lost notification: only the row exists.
		await sql`insert into events (node, items) values ('other', ${sql.json([received('1')])})`;
		await soon(() => expect(waiter.rung).toContain('i1'));
		await soon(async () => {
			const [{count}] = await sql<[{count: number}]>`
				select count(*)::int from pg_stat_activity where query like 'listen%' and datname = current_database()
			`;
			expect(count).toBe(2);
		});
		const later = new Waiter('i2');
		one.events.listen(later);
		await other.events.append([{type: 'inbox.created', inbox: {...inbox, id: 'i2'}}]);
		await soon(() => expect(later.rung).toContain('i2'));
	});

	test('old and excess events are deleted; only cursors before them become invalid', async () => {
		const url = await server.database();
		const {events} = await openNode(url);
		const sql = sessions(url, 1);
		const remove = async (keep: {for: string; rows: number}) =>
			sql.begin(async own => removeOldEvents(own as unknown as Parameters<typeof removeOldEvents>[0], keep));
		const start = await events.end();
		await events.append([received('1')]);
		const first = await events.end();
		for (const id of ['2', '3', '4']) {
			await events.append([received(id)]);
		}

		await remove({for: '1 hour', rows: 100});
		expect((await events.read(start, 10))?.items).toHaveLength(4);
		await remove({for: '1 hour', rows: 3});
		expect(await events.read(start, 10)).toBeUndefined();
		expect(await events.isSameScope('ada', start)).toBe(false);
		expect((await events.read(first, 10))?.items).toHaveLength(3);
		await sql`update events set at = now() - interval '61 minutes' where items::text not like '%"4"%'`;
		await remove({for: '1 hour', rows: 3});
		expect(await events.read(first, 10)).toBeUndefined();
		expect(await sql`select from events`).toHaveLength(1);
		const end = await events.end();
		await remove({for: '0 seconds', rows: 3});
		expect(await sql`select from events`).toHaveLength(0);
		expect((await events.read(end, 10))?.items).toEqual([]);
		expect(await events.end()).toBe(end);
	});

	test('a copied database drops the events of the original server', async () => {
		const url = await server.database();
		const one = await openNode(url);
		const sql = sessions(url, 1);
		await one.events.append([received('1')]);
		await one.close();
		await sql`insert into events (xid, node, items) values ('999999999', 'other', '[]')`;
		await sql`update event_log set start = '999999998'`;
		const {events} = await openNode(url);
		const start = await events.end();
		await events.append([received('2')]);
		expect((await events.read(start, 10))?.items).toEqual([received('2')]);
		expect(await sql`select from events`).toHaveLength(2);
	});

	test('events that could not be added while the database was unavailable are added later', async () => {
		const url = await server.database();
		const {events} = await openNode(url);
		const start = await events.end();
		const cluster = await server.cluster();
		await cluster.stop('SIGQUIT');
		await events.append([received('1')]);
		await cluster.start();
		await soon(async () => expect((await events.read(start, 10))?.items).toEqual([received('1')]));
	});
});
