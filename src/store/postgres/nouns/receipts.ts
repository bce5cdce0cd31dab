import type {Receipt} from '../../../domain/mail/sending.js';
import {AlreadyAnswered, type ReceiptStore} from '../../port.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import type {AnySql, Transaction} from '../session/session.js';

/** Of so many the oldest go before their time. */
const maxReceipts = 1_000_000;

/** Receipts that one transaction deletes, so that it is short. */
const perTransaction = 2000;

type Row = {readonly row: Receipt};

export function postgresReceipts(database: Database): ReceiptStore {
	const get = batched<string, Receipt | undefined>(async ids => {
		const found = await database.run(async sql => findReceipts(sql, ids));
		const byId = new Map(found.map(receipt => [receipt.id, receipt]));
		return ids.map(id => byId.get(id));
	});
	return {
		get,
		add: async receipt => database.begin(async sql => putReceipts(sql, [receipt])),
		deleteExpired: async now => {
			await database.run(
				sql => sql`
					delete from receipts where id in (
						select id from receipts where expires_at <= greatest(${now}, ${borderOf(sql)}) order by expires_at
						limit ${perTransaction} for update skip locked
					)
				`,
			);
		},
		nextExpiry: async () => {
			const [next] = await database.run(
				sql => sql<{at: string | null}[]>`
					select case when ${borderOf(sql)} is null then min(expires_at) else '' end as at from receipts
				`,
			);
			return next?.at ?? undefined;
		},
	};
}

/** Up to this time of expiry there are too many; null when there are not. */
function borderOf(sql: AnySql) {
	return sql`(select expires_at from receipts order by expires_at desc offset ${maxReceipts} limit 1)`;
}

export async function findReceipts(sql: AnySql, ids: readonly string[]): Promise<readonly Receipt[]> {
	const rows = await sql<Row[]>`select row from receipts where id = any(${ids})`;
	return rows.map(({row}) => row);
}

/** Throws `AlreadyAnswered` when one is there and was not over when its successor was made. It waits for other transactions. */
export async function putReceipts(sql: Transaction, receipts: readonly Receipt[]): Promise<void> {
	if (receipts.length === 0) {
		return;
	}

	const rows = receipts.map(row => ({id: row.id, expires_at: row.expiresAt, created_at: row.createdAt, row}));
	const put = await sql<{id: string}[]>`
		with new as (
			select * from json_to_recordset(${sql.typed(rows as never, 114)})
			as new (id text, expires_at text, created_at text, row json)
		)
		insert into receipts (id, expires_at, row) select id, expires_at, row from new order by id collate "C"
		on conflict (id) do update set expires_at = excluded.expires_at, row = excluded.row
		where receipts.expires_at <= (select min(created_at) from new where new.id = excluded.id)
		returning id
	`;
	const isPut = new Set(put.map(({id}) => id));
	const taken = receipts.filter(({id}) => !isPut.has(id)).map(({id}) => id);
	const [stored] = taken.length === 0 ? [] : await findReceipts(sql, taken);
	if (stored) {
		throw new AlreadyAnswered(stored);
	}
}
