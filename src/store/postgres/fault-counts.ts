import {type FaultCount, noCount} from '../../domain/faults/fault.js';
import type {CountStep} from '../port.js';
import {batched} from './batched.js';
import type {Transaction} from './connection.js';
import type {Database} from './database.js';
import {columnText} from './row-text.js';

/** How many keys are kept, the newest of a fault and of an owner. */
const kept = {ofFault: 10_000, ofOwner: 100_000};

/** The key of the count of a fault as a whole. */
const whole = '';

type Step = {readonly faultId: string; readonly key: string; readonly step: CountStep<unknown>};

/** What is to be handed on. */
type Outcome = () => unknown;

type Row = FaultCount & {readonly faultId: string; readonly key: string; readonly ownerId: string};

/** Takes steps with the counts of faults, those of all nodes one after the other. Nobody waits for the disk. */
export class FaultCounts {
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

		const rowOf = (each: string): Row => rows.get(`${faultId} ${each}`) ?? {faultId, key: each, ownerId, ...noCount};
		const set = (row: Row) => {
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
async function readCounts(sql: Transaction, ids: readonly string[], steps: readonly Step[]): Promise<Map<string, Row>> {
	await sql`
		insert into fault_counts (fault_id, key, owner_id, seen, acted, passed_at)
		select id, ${whole}, owner_id, 0, 0, '{}' from faults where id = any(${ids}) order by id
		on conflict do nothing
	`;
	await sql`select from fault_counts where fault_id = any(${ids}) and key = ${whole} order by fault_id for update`;
	const rows = await sql<Row[]>`
		select fault_id as "faultId", key, owner_id as "ownerId", seen, acted, passed_at as "passedAt" from fault_counts
		where (fault_id = any(${ids}) and key = ${whole}) or (fault_id, key) in (
			select * from unnest(${steps.map(({faultId}) => faultId)}::text[], ${steps.map(({key}) => key)}::text[])
		)
	`;
	return new Map(rows.map(row => [`${row.faultId} ${row.key}`, row]));
}

async function writeCounts(sql: Transaction, rows: readonly Row[]): Promise<void> {
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
