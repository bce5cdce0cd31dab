import {type Receipt, sizeOfReceipt} from '../../../domain/mail/sending.js';
import type {TemplateRow} from '../../dump.js';
import {AlreadyAnswered, type ReceiptStore, type TemplateStore} from '../../port.js';
import {
	checkTemplateBytes,
	checkTemplateLimit,
	receiptShare,
	sizeOfTemplate,
	templateKey,
	templateOf,
	templateRow,
} from '../../rules/sending.js';
import {idOf} from '../rows.js';
import {batchedFind} from '../session/batched.js';
import type {Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import {type AnySql, type Row, recordset, type Transaction} from '../session/session.js';
import {countForUser} from './usage.js';

/** Maximum size of all receipts. */
const maxReceiptBytes = 64 * 1024 * 1024;

/** Receipts deleted per transaction, so that it stays short. */
const receiptsPerTransaction = 2000;

export function createReceiptStore(database: Database): ReceiptStore {
	return {
		get: batchedFind(async ids => database.run(async sql => findReceipts(sql, ids)), idOf),
		add: async receipt => database.begin('receipts', async sql => putReceipts(sql, [receipt])),
		deleteExpired: async now => {
			await database.run(
				sql => sql`
					delete from receipts where id in (
						select id from receipts where expires_at <= ${now} order by expires_at
						limit ${receiptsPerTransaction} for update skip locked
					)
				`,
			);
			await database.run(deleteBeyondShares);
		},
		nextExpiry: async () =>
			database.time(
				sql => sql`
					select case when sum(size) > ${maxReceiptBytes} then '' else min(expires_at) end as at from receipts
				`,
			),
	};
}

/** Deletes a batch of the receipts beyond the share of their holders, if all together exceed the budget. */
async function deleteBeyondShares(sql: AnySql): Promise<void> {
	const holders = await sql<{holder: string; size: number}[]>`
		select holder, sum(size)::bigint as size from receipts group by holder
	`;
	const share = receiptShare(
		holders.map(({size}) => size),
		maxReceiptBytes,
	);
	const large = holders.filter(({size}) => size > share).map(({holder}) => holder);
	if (large.length > 0) {
		await sql`
			delete from receipts where id in (
				select id from (
					select id, sum(size) over (partition by holder order by expires_at desc, id desc) as total from receipts
					where holder = any(${large})
				) as newest
				where total > ${Math.floor(share)} limit ${receiptsPerTransaction}
			)
		`;
	}
}

export async function findReceipts(sql: AnySql, ids: readonly string[]): Promise<readonly Receipt[]> {
	const rows = await sql<Row<Receipt>[]>`select row from receipts where id = any(${ids})`;
	return rows.map(({row}) => row);
}

/**
 * Adds receipts. Throws `AlreadyAnswered` if an unexpired one with the same id exists. Waits for concurrent transactions with
 * the same id.
 */
export async function putReceipts(sql: Transaction, receipts: readonly Receipt[]): Promise<void> {
	if (receipts.length === 0) {
		return;
	}

	const rows = receipts.map(row => ({
		id: row.id,
		holder: columnText(row.holder),
		size: sizeOfReceipt(row),
		expires_at: row.expiresAt,
		created_at: row.createdAt,
		row,
	}));
	const put = await sql<{id: string}[]>`
		with new as (
			select * from json_to_recordset(${recordset(sql, rows)})
			as new (id text, holder text, size int, expires_at text, created_at text, row json)
		)
		insert into receipts (id, holder, size, expires_at, row)
		select id, holder, size, expires_at, row from new order by id collate "C"
		on conflict (id) do update
		set holder = excluded.holder, size = excluded.size, expires_at = excluded.expires_at, row = excluded.row
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

export function createTemplateStore(database: Database): TemplateStore {
	return {
		put: async (template, limit) =>
			database.inTurn(template.userId, [template.userId], async sql => {
				const row = templateRow(template);
				await countForUser(sql, row.userId, {});
				const id = columnText(row.id);
				const [found] = await sql<{others: number; before: number; ofUser: number; inAll: number}[]>`
					select
						count(*) filter (where user_id = ${row.userId} and id <> ${id}) as others,
						coalesce(sum(size) filter (where id = ${id}), 0)::bigint as before,
						coalesce(sum(size) filter (where user_id = ${row.userId}), 0)::bigint as "ofUser",
						coalesce(sum(size), 0)::bigint as "inAll"
					from templates
				`;
				const {others, before, ofUser, inAll} = found ?? {others: 0, before: 0, ofUser: 0, inAll: 0};
				checkTemplateLimit(others, limit);
				const growth = sizeOfTemplate(row) - before;
				checkTemplateBytes(ofUser + growth, inAll + growth, growth);
				await insertTemplates(sql, [row]);
			}),
		get: async (...of) => {
			const id = columnText(templateKey(...of));
			const row = await database.row<TemplateRow>(sql => sql`select row from templates where id = ${id}`);
			return row && templateOf(row);
		},
		list: async userId => {
			const rows = await database.rows<TemplateRow>(
				sql => sql`select row from templates where user_id = ${userId} order by id`,
			);
			return rows.map(templateOf);
		},
		delete: async (userId, ...of) =>
			database.inTurn(userId, [userId], async sql => {
				const gone = await sql`delete from templates where id = ${columnText(templateKey(userId, ...of))}`;
				return gone.count > 0;
			}),
	};
}

/** Adds or replaces templates. */
export async function insertTemplates(sql: Transaction, rows: readonly TemplateRow[]): Promise<void> {
	const values = rows.map(row => ({id: row.id, size: sizeOfTemplate(row), user_id: row.userId, row}));
	await sql`
		insert into templates (id, size, user_id, row)
		select * from json_to_recordset(${recordset(sql, values)}) as new (id text, size int, user_id text, row json)
		on conflict (id) do update set size = excluded.size, row = excluded.row
	`;
}
