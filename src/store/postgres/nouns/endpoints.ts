import type {Endpoint} from '../../../domain/webhooks/delivery.js';
import type {EndpointStore} from '../../port.js';
import {deleteOwner, hideOwner} from '../deletion.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import {countForUser} from './usage.js';

type Row = {readonly row: Endpoint};

/** `changed`: called when other deliveries may be due than before. */
export function postgresEndpoints(database: Database, changed: () => void): EndpointStore {
	/** The active ones of a user, newest first. */
	const activeOf = batched<string, readonly Endpoint[]>(async userIds => {
		const rows = await database.run(
			sql => sql<Row[]>`
				select row from endpoints where user_id = any(${[...new Set(userIds)]}) and is_active order by place desc
			`,
		);
		return userIds.map(userId => rows.map(({row}) => row).filter(row => row.userId === userId));
	});
	return {
		create: async (endpoint, check) =>
			database.inTurn([endpoint.userId], async sql => {
				const {id, userId, isActive} = endpoint;
				await countForUser(sql, userId, {endpoints: 1}, check);
				await sql`
					insert into endpoints (id, user_id, is_active, row)
					values (${id}, ${userId}, ${isActive}, ${sql.json(endpoint)})
				`;
			}),
		get: async id => {
			const [found] = await database.run(sql => sql<Row[]>`select row from endpoints where id = ${id}`);
			return found?.row;
		},
		listOf: async userId => {
			const rows = await database.run(
				sql => sql<Row[]>`select row from endpoints where user_id = ${userId} order by place desc`,
			);
			return rows.map(({row}) => row);
		},
		subscribed: async (userIds, event) => {
			const active = await Promise.all([...new Set(userIds)].map(activeOf));
			return active.flat().filter(({events}) => events.includes(event));
		},
		update: async (id, patch) => {
			const [updated] = await database.inTurn(
				[id],
				async sql => sql<Row[]>`
					update endpoints
					set row = row || ${sql.json(patch)}, is_active = coalesce(${patch.isActive ?? null}, is_active)
					where id = ${id}
					returning row
				`,
			);
			changed();
			return updated?.row;
		},
		delete: async id => deleteOwner(database, id, async sql => hideOwner(sql, 'endpoint', id), changed),
	};
}
