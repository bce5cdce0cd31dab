import postgres from 'postgres';
import type {Fault} from '../../domain/faults/fault.js';
import type {DumpRows, DumpTable} from '../dump.js';
import type {Database} from './session/database.js';
import type {Transaction} from './session/session.js';

/**
 * Fields of the records that also have a column, besides `id`. The column has the name of the field in snake case, and the whole
 * record is in the column `row`.
 */
const columns: {readonly [Table in Exclude<DumpTable, OwnColumns>]: ReadonlyArray<string & keyof DumpRows[Table]>} = {
	users: [],
	keys: ['userId', 'hash'],
	webSessions: ['userId', 'keyId', 'hash', 'expiresAt', 'isEnded'],
	teams: ['ownerId'],
	invites: ['teamId', 'tokenHash', 'expiresAt', 'acceptedAt'],
	inboxes: ['ownerId', 'teamId', 'createdAt', 'expiresAt'],
	bounces: ['messageId', 'ownerId', 'dueAt'],
	endpoints: ['userId', 'isActive'],
	faults: ['inboxId', 'expiresAt'],
	faultHits: ['faultId', 'inboxId'],
};

/** Tables that `insertion` does not support. */
type OwnColumns = 'messages' | 'deliveries' | 'faultCounts' | 'receipts' | 'templates';

/** Insert statement for records. `more` returns the columns that are no fields. */
export function insertion<Table extends keyof typeof columns>(
	sql: Transaction,
	table: Table,
	records: ReadonlyArray<DumpRows[Table]>,
	more: (record: DumpRows[Table], index: number) => object = () => ({}),
) {
	const fields = columns[table];
	const rows = records.map((record, index) => ({
		id: record.id,
		...Object.fromEntries(fields.map(field => [postgres.fromCamel(field), record[field]])),
		...more(record, index),
		row: sql.json(record),
	}));
	return sql`insert into ${sql(postgres.fromCamel(table))} ${sql(rows)}`;
}

/** Locks rows ordered by id, so that they are not deleted before the transaction ends. Resolves to their owners by id. */
export async function lockOwners(
	sql: Transaction,
	table: 'inboxes' | 'faults',
	ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const rows = await sql<{id: string; ownerId: string}[]>`
		select id, owner_id as "ownerId" from ${sql(table)} where id = any(${ids}) order by id for key share
	`;
	return new Map(rows.map(({id, ownerId}) => [id, ownerId]));
}

/** Locks the inboxes of faults or hits. Resolves to the owners of those that exist; `''` for the daemon (null). */
export async function lockInboxOwners(
	sql: Transaction,
	rows: ReadonlyArray<Pick<Fault, 'inboxId'>>,
): Promise<ReadonlyMap<string | null, string>> {
	const ids = [...new Set(rows.map(({inboxId}) => inboxId).filter(id => id !== null))];
	return new Map<string | null, string>([[null, ''], ...(await lockOwners(sql, 'inboxes', ids))]);
}

/** Records the times of last use by id. */
export async function touchRows(
	database: Database,
	table: 'keys' | 'web_sessions',
	uses: ReadonlyMap<string, string>,
): Promise<void> {
	// Sorted, so that two nodes cannot deadlock.
	for (const [id, lastUsedAt] of [...uses].sort(([a], [b]) => (a < b ? -1 : 1))) {
		await database.run(
			sql => sql`
				update ${sql(table)} set row = row || ${sql.json({lastUsedAt})}
				where id = ${id} and coalesce(row ->> 'lastUsedAt', '') < ${lastUsedAt}
			`,
		);
	}
}

export function idOf({id}: {readonly id: string}): string {
	return id;
}
