import {type Team, withoutMember} from '../../../domain/accounts/team.js';
import type {User} from '../../../domain/accounts/user.js';
import {AppError} from '../../../domain/errors.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {UserStore} from '../../port.js';
import {deleteOwner, hideAllOf} from '../deletion.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {Transaction} from '../session/session.js';

type Row = {readonly row: User};

/** Users on their way out have no email any more. `changed`: called when other deliveries may be due than before. */
export function postgresUsers(database: Database, changed: () => void): UserStore {
	const get = batched<string, User | undefined>(async ids => {
		const rows = await database.run(
			sql => sql<Row[]>`select row from users where id = any(${ids}) and email is not null`,
		);
		const userOf = new Map(rows.map(({row}) => [row.id, row]));
		return ids.map(id => userOf.get(id));
	});
	return {
		create: async user => {
			const email = columnText(canonicalAddress(user.email));
			await database.inTurn([email], async sql => {
				const created = await sql`
					insert into users (id, email, row) values (${user.id}, ${email}, ${sql.json(user)})
					on conflict (email) do nothing
				`;
				if (created.count === 0) {
					throw new AppError('email_taken', `The email ${user.email} is already taken. Choose another one.`);
				}
			});
		},
		get,
		byEmail: async email => {
			const canonical = columnText(canonicalAddress(email));
			const [found] = await database.run(sql => sql<Row[]>`select row from users where email = ${canonical}`);
			return found?.row;
		},
		list: async () => {
			const rows = await database.run(
				sql => sql<Row[]>`select row from users where email is not null order by place desc`,
			);
			return rows.map(({row}) => row);
		},
		update: async (id, patch) =>
			database.inTurn([id], async sql => {
				const [updated] = await sql<Row[]>`
					update users set row = row || ${sql.json(patch)} where id = ${id} and email is not null returning row
				`;
				return updated?.row;
			}),
		delete: async id => deleteOwner(database, id, async sql => leave(sql, id), changed),
	};
}

/** Takes the user out of sight, with what there is little of; false when that is done already. */
async function leave(sql: Transaction, id: string): Promise<boolean> {
	const left =
		await sql`update users set email = null, endpoints = 0, teams = 0 where id = ${id} and email is not null`;
	if (left.count === 0) {
		return false;
	}

	await sql`delete from keys where user_id = ${id}`;
	await sql`delete from web_sessions where user_id = ${id}`;
	await sql`delete from templates where user_id = ${id}`;
	await hideAllOf(sql, 'team', id);
	await hideAllOf(sql, 'endpoint', id);
	const teams = await sql<{row: Team}[]>`
		select row from teams where id in (select team_id from members where user_id = ${id}) order by id for update
	`;
	for (const {row} of teams) {
		await sql`update teams set row = row || ${sql.json(withoutMember(row, id))} where id = ${row.id}`;
	}

	await sql`delete from members where user_id = ${id}`;
	await sql`insert into departures (id, kind, user_id) values (${id}, 'user', ${id})`;
	return true;
}
