import {AppError} from '../../../domain/errors.js';
import type {TemplateRow} from '../../dump.js';
import type {TemplateStore} from '../../port.js';
import {templateKey, templateOf, templateRow} from '../../rules/sending.js';
import type {Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {Transaction} from '../session/session.js';
import {countForUser} from './usage.js';

type Row = {readonly row: TemplateRow};

export function postgresTemplates(database: Database): TemplateStore {
	return {
		put: async (template, limit) =>
			database.inTurn([template.userId], async sql => {
				const row = templateRow(template);
				await countForUser(sql, row.userId, {});
				const [others] = await sql<{count: number}[]>`
					select count(*) from templates where user_id = ${row.userId} and id <> ${columnText(row.id)}
				`;
				if ((others?.count ?? 0) >= limit) {
					throw new AppError('plan_limit', `The user has ${limit} templates, the maximum. Delete one first.`);
				}

				await insertTemplates(sql, [row]);
			}),
		get: async (...of) => {
			const id = columnText(templateKey(...of));
			const [found] = await database.run(sql => sql<Row[]>`select row from templates where id = ${id}`);
			return found && templateOf(found.row);
		},
		list: async userId => {
			const rows = await database.run(
				sql => sql<Row[]>`select row from templates where user_id = ${userId} order by id`,
			);
			return rows.map(({row}) => templateOf(row));
		},
		delete: async (userId, ...of) =>
			database.inTurn([userId], async sql => {
				const gone = await sql`delete from templates where id = ${columnText(templateKey(userId, ...of))}`;
				return gone.count > 0;
			}),
	};
}

/** Adds or replaces. */
export async function insertTemplates(sql: Transaction, rows: readonly TemplateRow[]): Promise<void> {
	const values = rows.map(row => ({id: row.id, user_id: row.userId, row}));
	await sql`
		insert into templates (id, user_id, row)
		select * from json_to_recordset(${sql.typed(values as never, 114)}) as new (id text, user_id text, row json)
		on conflict (id) do update set row = excluded.row
	`;
}
