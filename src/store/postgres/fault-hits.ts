import type {FaultHit} from '../../domain/faults/fault.js';
import {batched} from './batched.js';
import type {Transaction} from './connection.js';
import type {Database} from './database.js';

/** How many hits are kept, the newest of an inbox and of an owner. */
const keptOf = {inbox: 1000, owner: 20_000};

/** Adds hits, those that come together in one transaction; each tells whether its inbox is there. */
export function createHitLog(database: Database): (hit: FaultHit) => Promise<boolean> {
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
