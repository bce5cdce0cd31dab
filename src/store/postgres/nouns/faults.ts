import type {FaultStage} from '../../../contract/constants.js';
import {offsetOf} from '../../../contract/constants.js';
import {type CountedFault, type Fault, type FaultCount, type FaultHit, noCount} from '../../../domain/faults/fault.js';
import type {CountStep, FaultStore} from '../../port.js';
import {assertInboxExists, checkFaultLimit} from '../../rules/inboxes.js';
import type {Notifications} from '../notifications.js';
import {insertion, lockInboxOwners, lockOwners} from '../rows.js';
import {batched} from '../session/batched.js';
import {background, type Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {AnySql, Fragment, Row, Transaction} from '../session/session.js';

export function createFaultStore(database: Database, cache: FaultCache): FaultStore {
	const count = createCounts(database);
	const addHit = createHitLog(database);
	/** Pending writes of counts and hits. */
	const pending = new Set<Promise<unknown>>();
	const track = async <T>(result: Promise<T>): Promise<T> => {
		pending.add(result);
		return result.finally(() => pending.delete(result));
	};
	const settled = async () => Promise.allSettled(pending);
	/** Reads faults with their counts, oldest first. */
	const counted = async (inboxId: string | null, id?: string): Promise<readonly CountedFault[]> => {
		await settled();
		return database.run(
			sql => sql<CountedFault[]>`
				select row as fault, coalesce(c.seen, 0) as seen, coalesce(c.acted, 0) as acted
				from faults left join fault_counts c on c.fault_id = id and c.key = ''
				where ${id === undefined ? isOf(sql, inboxId) : sql`id = ${id}`}
				order by faults.place
			`,
		);
	};
	return {
		create: async (fault, limit, by = background) =>
			database.inTurn(
				by,
				[fault.inboxId ?? 'the daemon'],
				async sql => {
					const {inboxId} = fault;
					await sql`select pg_advisory_xact_lock(hashtextextended(${`faults ${inboxId}`}, 0))`;
					const owners = await lockInboxOwners(sql, [fault]);
					assertInboxExists(owners.has(inboxId));
					const [faults] = await sql<{count: number}[]>`
						select count(*) from faults where ${isOf(sql, inboxId)}
					`;
					checkFaultLimit(inboxId, faults?.count ?? 0, limit);
					await insertion(sql, 'faults', [fault], () => ({owner_id: owners.get(inboxId)}));
				},
				cache.changed,
			),
		get: async id => (await counted(null, id))[0],
		list: async inboxId => counted(inboxId),
		delete: async (id, by = background) =>
			database.inTurn(
				by,
				[],
				async sql => {
					const deleted = await sql`delete from faults where id = ${id}`;
					return deleted.count > 0;
				},
				cache.changed,
			),
		deleteAll: async (inboxId, by = background) =>
			database.inTurn(
				by,
				[inboxId ?? 'the daemon'],
				async sql => {
					const deleted = await sql`delete from faults where ${isOf(sql, inboxId)}`;
					return deleted.count;
				},
				cache.changed,
			),
		deleteExpired: async now =>
			database.inTurn(
				background,
				[],
				async sql => {
					const gone = await sql<Row<Fault>[]>`
						with gone as (delete from faults where expires_at <= ${now} returning row, expires_at)
						select row from gone order by expires_at
					`;
					return gone.map(({row}) => row);
				},
				cache.changed,
			),
		nextExpiry: async () => database.time(sql => sql`select min(expires_at) as at from faults`),
		mayAct: cache.mayAct,
		of: cache.of,
		count: async (id, key, step) => track(count(id, key, step)),
		addHit: async hit => track(addHit(hit)),
		hit: async id => database.row(sql => sql`select row from fault_hits where id = ${id}`),
		hits: async (of, page) => {
			await settled();
			return database.run(async sql => {
				const matching = 'faultId' in of ? sql`fault_id = ${of.faultId}` : isOf(sql, of.inboxId);
				const [rows, [counted]] = await Promise.all([
					sql<Row<FaultHit>[]>`
						select row from fault_hits where ${matching} order by place desc
						limit ${page.limit} offset ${offsetOf(page)}
					`,
					sql<{total: number}[]>`select count(*) as total from fault_hits where ${matching}`,
				]);
				return {rows: rows.map(({row}) => row), total: counted?.total ?? 0};
			});
		},
	};
}

/** Condition for faults of an inbox, or of the daemon (null), which can use an index. */
function isOf(sql: AnySql, inboxId: string | null) {
	return inboxId === null ? sql`inbox_id is null` : sql`inbox_id = ${inboxId}`;
}

/** Topic for changes of faults. */
const topic = 'faults';

/** Interval of polling for lost notifications. */
const pollEveryMs = 1000;

type CachedRow = Row<Fault> & {readonly place: number; readonly inboxId: string | null};

export type FaultCache = {
	/** True if there may be a fault for the stage. */
	mayAct(stage: FaultStage): boolean;
	/** Returns the same array until the faults change. */
	of(inboxId: string | null): readonly Fault[];
	/** Reloads the faults and notifies other nodes. Call it after each change of this node. */
	changed(): Promise<void>;
	stop(): void;
};

/** Reads all faults into memory, since each SMTP command asks for them. Changes of other nodes take up to a second. */
export async function startFaultCache(
	database: Database,
	notifications: Pick<Notifications, 'publish' | 'onNotification'>,
): Promise<FaultCache> {
	let faultsOf: ReadonlyMap<string | null, readonly Fault[]> = new Map();
	let stages: ReadonlySet<FaultStage> = new Set();
	let version = '';
	const of = (inboxId: string | null) => faultsOf.get(inboxId) ?? none;
	const reuse = (inboxId: string | null, faults: readonly Fault[]): readonly Fault[] => {
		const before = of(inboxId);
		return before.length === faults.length && before.every(({id}, index) => id === faults[index]?.id) ? before : faults;
	};
	const readAll = batched<undefined, undefined>(async keys => {
		const rows = await database.run(
			sql => sql<CachedRow[]>`select place, inbox_id as "inboxId", row from faults order by place`,
		);
		const groups = new Map<string | null, Fault[]>();
		for (const {inboxId, row} of rows) {
			const group = groups.get(inboxId) ?? [];
			group.push(row);
			groups.set(inboxId, group);
		}

		faultsOf = new Map([...groups].map(([inboxId, faults]) => [inboxId, reuse(inboxId, faults)]));
		stages = new Set(rows.map(({row}) => row.stage));
		version = `${rows.length} ${rows.reduce((sum, {place}) => sum + place, 0)}`;
		return keys;
	});
	const poll = async () => {
		const [found] = await database
			.run(sql => sql<{version: string}[]>`select count(*) || ' ' || coalesce(sum(place), 0) as version from faults`)
			.catch(() => []);
		if (found && found.version !== version) {
			await readAll(undefined).catch(() => {});
		}
	};
	notifications.onNotification(topics => {
		if (topics === undefined || topics.includes(topic)) {
			void poll();
		}
	});
	await readAll(undefined);
	const timer = setInterval(() => void poll(), pollEveryMs).unref();
	return {
		mayAct: stage => stages.has(stage),
		of,
		changed: async () => {
			notifications.publish([topic]);
			await readAll(undefined);
		},
		stop: () => clearInterval(timer),
	};
}

const none: readonly Fault[] = [];

/** Maximum number of keys of a fault and of an owner; the newest are kept. */
const maxKeys = {ofFault: 10_000, ofOwner: 100_000};

/** Key of the count of a fault as a whole. */
const wholeFault = '';

type Step = {readonly faultId: string; readonly key: string; readonly step: CountStep<unknown>};

/** Returns the result of a step, or throws its error. */
type Outcome = () => unknown;

type CountRow = FaultCount & {readonly faultId: string; readonly key: string; readonly ownerId: string};

/**
 * Returns a function that updates the counts of faults. The steps of all nodes are serialized. A step may be called again and must
 * have no side effects. Updates are not synced to disk.
 */
function createCounts(database: Database): FaultStore['count'] {
	const take = batched(async (steps: readonly Step[]) =>
		database.inTurn('faults', ['fault counts'], async sql => applySteps(sql, steps)),
	);
	return async <T>(faultId: string, key: string | null, step: CountStep<T>) => {
		const outcome = await take({faultId, key: key === null ? wholeFault : `=${columnText(key)}`, step});
		return outcome() as T | undefined;
	};
}

async function applySteps(sql: Transaction, steps: readonly Step[]): Promise<readonly Outcome[]> {
	await sql`set local synchronous_commit = off`;
	const ids = [...new Set(steps.map(({faultId}) => faultId))];
	const ownerOf = await lockOwners(sql, 'faults', ids);
	const rows = await readCounts(sql, [...ownerOf.keys()], steps);
	const changed = new Set<string>();
	const outcomes = steps.map(({faultId, key, step}): Outcome => {
		const ownerId = ownerOf.get(faultId);
		if (ownerId === undefined) {
			return () => undefined;
		}

		const rowOf = (each: string): CountRow =>
			rows.get(`${faultId} ${each}`) ?? {faultId, key: each, ownerId, ...noCount};
		const set = (row: CountRow) => {
			rows.set(`${faultId} ${row.key}`, row);
			changed.add(`${faultId} ${row.key}`);
		};
		try {
			const before = rowOf(key);
			const {seen, acted, passedAt} = before;
			const {count, result} = step({seen, acted, passedAt});
			set({...before, ...count});
			if (key !== wholeFault) {
				const all = rowOf(wholeFault);
				set({...all, seen: all.seen + count.seen - seen, acted: all.acted + count.acted - acted, passedAt: []});
			}

			return () => result;
		} catch (error) {
			return () => {
				throw error;
			};
		}
	});
	await writeCounts(
		sql,
		[...changed].flatMap(id => rows.get(id) ?? []),
	);
	return outcomes;
}

/** Reads the counts of the steps. Locks only the row of each fault as a whole, which every writer locks first. */
async function readCounts(
	sql: Transaction,
	ids: readonly string[],
	steps: readonly Step[],
): Promise<Map<string, CountRow>> {
	await sql`
		insert into fault_counts (fault_id, key, owner_id, seen, acted, passed_at)
		select id, ${wholeFault}, owner_id, 0, 0, '{}' from faults where id = any(${ids}) order by id
		on conflict do nothing
	`;
	await sql`select from fault_counts where fault_id = any(${ids}) and key = ${wholeFault} order by fault_id for update`;
	const rows = await sql<CountRow[]>`
		select fault_id as "faultId", key, owner_id as "ownerId", seen, acted, passed_at as "passedAt" from fault_counts
		where (fault_id = any(${ids}) and key = ${wholeFault}) or (fault_id, key) in (
			select * from unnest(${steps.map(({faultId}) => faultId)}::text[], ${steps.map(({key}) => key)}::text[])
		)
	`;
	return new Map(rows.map(row => [`${row.faultId} ${row.key}`, row]));
}

async function writeCounts(sql: Transaction, rows: readonly CountRow[]): Promise<void> {
	const written = await sql<{faultId: string; ownerId: string; isNew: boolean}[]>`
		insert into fault_counts (fault_id, key, owner_id, seen, acted, passed_at)
		select "faultId", key, "ownerId", seen, acted, "passedAt"
		from rows from (
			jsonb_to_recordset(${sql.json(rows)})
				as ("faultId" text, key text, "ownerId" text, seen bigint, acted bigint, "passedAt" bigint[])
		) with ordinality as counted order by ordinality
		on conflict (fault_id, key) do update
		set seen = excluded.seen, acted = excluded.acted, passed_at = excluded.passed_at
		returning fault_id as "faultId", owner_id as "ownerId", xmax = 0 as "isNew"
	`;
	const added = written.filter(({isNew}) => isNew);
	for (const faultId of new Set(added.map(row => row.faultId))) {
		const keys = sql`fault_id = ${faultId} and key <> ${wholeFault}`;
		await deleteOldest(sql, 'fault_counts', keys, maxKeys.ofFault);
	}

	for (const ownerId of new Set(added.map(row => row.ownerId))) {
		const keys = sql`owner_id = ${ownerId} and key <> ${wholeFault}`;
		await deleteOldest(sql, 'fault_counts', keys, maxKeys.ofOwner);
	}
}

/** Maximum number of hits of an inbox and of an owner; the newest are kept. */
const maxHits = {inbox: 1000, owner: 20_000};

/**
 * Returns a function that adds a hit and resolves to false if its inbox does not exist. Concurrent hits share a transaction.
 */
function createHitLog(database: Database): (hit: FaultHit) => Promise<boolean> {
	return batched(async hits => database.inTurn('faults', ['fault hits'], async sql => insertHits(sql, hits)));
}

async function insertHits(sql: Transaction, hits: readonly FaultHit[]): Promise<readonly boolean[]> {
	const ownerOf = await lockInboxOwners(sql, hits);
	const there = hits.filter(({inboxId}) => ownerOf.has(inboxId));
	const rows = there.map(row => ({...row, ownerId: ownerOf.get(row.inboxId), row}));
	await sql`
		insert into fault_hits (id, fault_id, inbox_id, owner_id, row)
		select id, "faultId", "inboxId", "ownerId", row
		from rows from (
			jsonb_to_recordset(${sql.json(rows)}) as (id text, "faultId" text, "inboxId" text, "ownerId" text, row jsonb)
		) with ordinality as hit order by ordinality
	`;
	for (const inboxId of new Set(there.map(hit => hit.inboxId))) {
		await deleteOldest(sql, 'fault_hits', isOf(sql, inboxId), maxHits.inbox);
	}

	for (const ownerId of new Set(ownerOf.values())) {
		await deleteOldest(sql, 'fault_hits', sql`owner_id = ${ownerId}`, maxHits.owner);
	}

	return hits.map(({inboxId}) => ownerOf.has(inboxId));
}

/** Deletes all but the newest `keep` rows that match. */
async function deleteOldest(
	sql: Transaction,
	table: 'fault_counts' | 'fault_hits',
	matching: Fragment,
	keep: number,
): Promise<void> {
	await sql`
		delete from ${sql(table)} where ${matching} and place <= (
			select place from ${sql(table)} where ${matching} order by place desc offset ${keep} limit 1
		)
	`;
}
