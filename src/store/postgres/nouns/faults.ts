import type {FaultStage} from '../../../contract/constants.js';
import {offsetOf} from '../../../contract/constants.js';
import {AppError} from '../../../domain/errors.js';
import {type CountedFault, type Fault, type FaultCount, type FaultHit, noCount} from '../../../domain/faults/fault.js';
import type {CountStep, FaultStore} from '../../port.js';
import type {Notifications} from '../notifications.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {AnySql, Transaction} from '../session/session.js';

type FaultRow = {readonly row: Fault};

export function postgresFaults(database: Database, copy: FaultCopy): FaultStore {
	const counts = new FaultCounts(database);
	const addHit = createHitLog(database);
	/** Counts and hits of this node that are on their way. */
	const underWay = new Set<Promise<unknown>>();
	const noting = async <T>(result: Promise<T>): Promise<T> => {
		underWay.add(result);
		return result.finally(() => underWay.delete(result));
	};
	const settled = async () => Promise.allSettled(underWay);
	/** With their counts, and in the order in which they were made. */
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
	const changed = async () => copy.changed();
	return {
		create: async (fault, limit) =>
			database.inTurn(
				[fault.inboxId ?? 'the daemon'],
				async sql => {
					const {id, inboxId, expiresAt} = fault;
					await sql`select pg_advisory_xact_lock(hashtextextended(${`faults ${inboxId}`}, 0))`;
					const [inbox] =
						inboxId === null
							? [{ownerId: ''}]
							: await sql<{ownerId: string}[]>`
								select owner_id as "ownerId" from inboxes where id = ${inboxId} for key share
							`;
					if (!inbox) {
						throw new AppError('not_found', 'The inbox was deleted.');
					}

					const [faults] = await sql<{count: number}[]>`
						select count(*) from faults where ${isOf(sql, inboxId)}
					`;
					if (faults && faults.count >= limit) {
						const whose = inboxId === null ? 'The daemon' : 'The inbox';
						throw new AppError('too_many_faults', `${whose} has ${limit} faults, the maximum. Delete one first.`);
					}

					await sql`
						insert into faults (id, inbox_id, owner_id, expires_at, row)
						values (${id}, ${inboxId}, ${inbox.ownerId}, ${expiresAt}, ${sql.json(fault)})
					`;
				},
				changed,
			),
		get: async id => (await counted(null, id))[0],
		list: async inboxId => counted(inboxId),
		delete: async id =>
			database.inTurn(
				[],
				async sql => {
					const deleted = await sql`delete from faults where id = ${id}`;
					return deleted.count > 0;
				},
				changed,
			),
		deleteAll: async inboxId =>
			database.inTurn(
				[inboxId ?? 'the daemon'],
				async sql => {
					const deleted = await sql`delete from faults where ${isOf(sql, inboxId)}`;
					return deleted.count;
				},
				changed,
			),
		deleteExpired: async now =>
			database.inTurn(
				[],
				async sql => {
					const gone = await sql<FaultRow[]>`
						with gone as (delete from faults where expires_at <= ${now} returning row, expires_at)
						select row from gone order by expires_at
					`;
					return gone.map(({row}) => row);
				},
				changed,
			),
		nextExpiry: async () => {
			const [next] = await database.run(sql => sql<{at: string | null}[]>`select min(expires_at) as at from faults`);
			return next?.at ?? undefined;
		},
		mayAct: stage => copy.mayAct(stage),
		of: inboxId => copy.of(inboxId),
		count: async (id, key, step) => noting(counts.count(id, key, step)),
		addHit: async hit => noting(addHit(hit)),
		hit: async id => {
			const [found] = await database.run(sql => sql<{row: FaultHit}[]>`select row from fault_hits where id = ${id}`);
			return found?.row;
		},
		hits: async (of, page) => {
			await settled();
			return database.run(async sql => {
				const those = 'faultId' in of ? sql`fault_id = ${of.faultId}` : isOf(sql, of.inboxId);
				const [rows, [counted]] = await Promise.all([
					sql<{row: FaultHit}[]>`
						select row from fault_hits where ${those} order by place desc
						limit ${page.limit} offset ${offsetOf(page)}
					`,
					sql<{total: number}[]>`select count(*) as total from fault_hits where ${those}`,
				]);
				return {rows: rows.map(({row}) => row), total: counted?.total ?? 0};
			});
		},
	};
}

/** As an index has it: of an inbox, or (null) of the daemon. */
function isOf(sql: AnySql, inboxId: string | null) {
	return inboxId === null ? sql`inbox_id is null` : sql`inbox_id = ${inboxId}`;
}

/** Tells the other nodes that faults came or went. */
const topic = 'faults';

/** How often a node looks by itself, in case that a notice was lost. */
const everyMs = 1000;

type CachedRow = {readonly place: number; readonly inboxId: string | null; readonly row: Fault};

/** The faults as this node knows them, since each command of a session asks for them: other nodes' may be a second late. */
export class FaultCopy {
	readonly #database: Database;
	readonly #notices: Pick<Notifications, 'tell' | 'hear'>;
	readonly #read = batched<undefined, undefined>(async keys => {
		await this.#readAll();
		return keys;
	});
	#ofInbox: ReadonlyMap<string | null, readonly Fault[]> = new Map();
	#stages: ReadonlySet<FaultStage> = new Set();
	#version = '';
	#timer: NodeJS.Timeout | undefined;

	constructor(database: Database, notices: Pick<Notifications, 'tell' | 'hear'>) {
		this.#database = database;
		this.#notices = notices;
	}

	async start(): Promise<void> {
		this.#notices.hear(topics => {
			if (topics === undefined || topics.includes(topic)) {
				void this.#lookByItself();
			}
		});
		await this.#read(undefined);
		this.#timer = setInterval(() => void this.#lookByItself(), everyMs).unref();
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	mayAct(stage: FaultStage): boolean {
		return this.#stages.has(stage);
	}

	/** The same array for as long as they stay the same. */
	of(inboxId: string | null): readonly Fault[] {
		return this.#ofInbox.get(inboxId) ?? none;
	}

	/** To be awaited after this node has changed any. */
	async changed(): Promise<void> {
		this.#notices.tell([topic]);
		await this.#read(undefined);
	}

	async #lookByItself(): Promise<void> {
		const version = await this.#database
			.run(sql => sql<{version: string}[]>`select count(*) || ' ' || coalesce(sum(place), 0) as version from faults`)
			.catch(() => []);
		if (version[0] && version[0].version !== this.#version) {
			await this.#read(undefined).catch(() => {});
		}
	}

	async #readAll(): Promise<void> {
		const rows = await this.#database.run(
			sql => sql<CachedRow[]>`select place, inbox_id as "inboxId", row from faults order by place`,
		);
		const ofInbox = new Map<string | null, Fault[]>();
		for (const {inboxId, row} of rows) {
			const others = ofInbox.get(inboxId);
			if (others) {
				others.push(row);
			} else {
				ofInbox.set(inboxId, [row]);
			}
		}

		this.#ofInbox = new Map([...ofInbox].map(([inboxId, faults]) => [inboxId, this.#known(inboxId, faults)]));
		this.#stages = new Set(rows.map(({row}) => row.stage));
		this.#version = `${rows.length} ${rows.reduce((sum, {place}) => sum + place, 0)}`;
	}

	#known(inboxId: string | null, faults: readonly Fault[]): readonly Fault[] {
		const before = this.of(inboxId);
		return before.length === faults.length && before.every(({id}, index) => id === faults[index]?.id) ? before : faults;
	}
}

const none: readonly Fault[] = [];

/** How many keys are kept, the newest of a fault and of an owner. */
const kept = {ofFault: 10_000, ofOwner: 100_000};

/** The key of the count of a fault as a whole. */
const whole = '';

type Step = {readonly faultId: string; readonly key: string; readonly step: CountStep<unknown>};

/** What is to be handed on. */
type Outcome = () => unknown;

type CountRow = FaultCount & {readonly faultId: string; readonly key: string; readonly ownerId: string};

/** Takes steps with the counts of faults, those of all nodes one after the other. Nobody waits for the disk. */
class FaultCounts {
	readonly #take: (step: Step) => Promise<Outcome>;

	constructor(database: Database) {
		this.#take = batched(async steps => database.inTurn(['fault counts'], async sql => takeAll(sql, steps)));
	}

	/** Undefined when the fault is gone. A step may be tried again, and must do nothing but count. */
	async count<T>(faultId: string, key: string | null, step: CountStep<T>): Promise<T | undefined> {
		const outcome = await this.#take({faultId, key: key === null ? whole : `=${columnText(key)}`, step});
		return outcome() as T | undefined;
	}
}

async function takeAll(sql: Transaction, steps: readonly Step[]): Promise<readonly Outcome[]> {
	await sql`set local synchronous_commit = off`;
	const ids = [...new Set(steps.map(({faultId}) => faultId))];
	const faults = await sql<{id: string; ownerId: string}[]>`
		select id, owner_id as "ownerId" from faults where id = any(${ids}) order by id for key share
	`;
	const ownerOf = new Map(faults.map(({id, ownerId}) => [id, ownerId]));
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
			if (key !== whole) {
				const all = rowOf(whole);
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

/** Those that are there. That of each fault as a whole is locked, which is enough: everybody takes it first. */
async function readCounts(
	sql: Transaction,
	ids: readonly string[],
	steps: readonly Step[],
): Promise<Map<string, CountRow>> {
	await sql`
		insert into fault_counts (fault_id, key, owner_id, seen, acted, passed_at)
		select id, ${whole}, owner_id, 0, 0, '{}' from faults where id = any(${ids}) order by id
		on conflict do nothing
	`;
	await sql`select from fault_counts where fault_id = any(${ids}) and key = ${whole} order by fault_id for update`;
	const rows = await sql<CountRow[]>`
		select fault_id as "faultId", key, owner_id as "ownerId", seen, acted, passed_at as "passedAt" from fault_counts
		where (fault_id = any(${ids}) and key = ${whole}) or (fault_id, key) in (
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
		await sql`
			delete from fault_counts where fault_id = ${faultId} and key <> ${whole} and place <= (
				select place from fault_counts where fault_id = ${faultId} and key <> ${whole}
				order by place desc offset ${kept.ofFault} limit 1
			)
		`;
	}

	for (const ownerId of new Set(added.map(row => row.ownerId))) {
		await sql`
			delete from fault_counts where owner_id = ${ownerId} and key <> ${whole} and place <= (
				select place from fault_counts where owner_id = ${ownerId} and key <> ${whole}
				order by place desc offset ${kept.ofOwner} limit 1
			)
		`;
	}
}

/** How many hits are kept, the newest of an inbox and of an owner. */
const keptOf = {inbox: 1000, owner: 20_000};

/** Adds hits, those that come together in one transaction; each tells whether its inbox is there. */
function createHitLog(database: Database): (hit: FaultHit) => Promise<boolean> {
	return batched(async hits => database.inTurn(['fault hits'], async sql => addAll(sql, hits)));
}

async function addAll(sql: Transaction, hits: readonly FaultHit[]): Promise<readonly boolean[]> {
	const ids = [...new Set(hits.map(({inboxId}) => inboxId).filter(id => id !== null))];
	const inboxes = await sql<{id: string; ownerId: string}[]>`
		select id, owner_id as "ownerId" from inboxes where id = any(${ids}) order by id for key share
	`;
	const ownerOf = new Map<string | null, string>([
		[null, ''],
		...inboxes.map(({id, ownerId}) => [id, ownerId] as const),
	]);
	const there = hits.filter(({inboxId}) => ownerOf.has(inboxId));
	const rows = there.map(row => ({
		id: row.id,
		faultId: row.faultId,
		inboxId: row.inboxId,
		ownerId: ownerOf.get(row.inboxId),
		row,
	}));
	await sql`
		insert into fault_hits (id, fault_id, inbox_id, owner_id, row)
		select id, "faultId", "inboxId", "ownerId", row
		from rows from (
			jsonb_to_recordset(${sql.json(rows)}) as (id text, "faultId" text, "inboxId" text, "ownerId" text, row jsonb)
		) with ordinality as hit order by ordinality
	`;
	for (const inboxId of new Set(there.map(hit => hit.inboxId))) {
		await forgetOldest(sql, sql`inbox_id ${inboxId === null ? sql`is null` : sql`= ${inboxId}`}`, keptOf.inbox);
	}

	for (const ownerId of new Set(ownerOf.values())) {
		await forgetOldest(sql, sql`owner_id = ${ownerId}`, keptOf.owner);
	}

	return hits.map(({inboxId}) => ownerOf.has(inboxId));
}

async function forgetOldest(sql: Transaction, those: ReturnType<Transaction>, keep: number): Promise<void> {
	await sql`
		delete from fault_hits where ${those} and place <= (
			select place from fault_hits where ${those} order by place desc offset ${keep} limit 1
		)
	`;
}
