import {lostAfterMs, type Node} from '../../../domain/node.js';
import type {NodeStore} from '../../port.js';
import type {Database} from '../session/database.js';

const removedAfter = '1 hour';

type Row = Omit<Node, 'since' | 'heartbeatAt' | 'state'> & {since: Date; heartbeatAt: Date; isLost: boolean};

/** Nodes. All times are of the database's clock. Notifications are switched off while there is only one node. */
export function createNodeStore(database: Database, notifications: {isAlone: boolean}): NodeStore {
	const lostAfter = `${lostAfterMs} milliseconds`;
	return {
		beat: async ({id, name, version, address, waits, sessions}) => {
			const [others] = await database.run(
				sql => sql<[{isNone: boolean}]>`
					with forgotten as (
						delete from nodes where heartbeat_at < now() - ${removedAfter}::interval and id <> ${id}
					), own as (
						insert into nodes (id, name, version, address, waits, sessions)
						values (${id}, ${name}, ${version}, ${address}, ${waits}, ${sessions})
						on conflict (id) do update set
							address = excluded.address, waits = excluded.waits, sessions = excluded.sessions, heartbeat_at = now()
					)
					select not exists (
						select from nodes where id <> ${id} and heartbeat_at >= now() - ${lostAfter}::interval
					) as "isNone"
				`,
			);
			notifications.isAlone = others.isNone;
		},
		leave: async id => {
			await database.run(sql => sql`delete from nodes where id = ${id}`);
		},
		list: async () => {
			const rows = await database.run(
				sql => sql<Row[]>`
					select id, name, version, address, waits, sessions, since, heartbeat_at as "heartbeatAt",
						heartbeat_at < now() - ${lostAfter}::interval as "isLost"
					from nodes order by since, id
				`,
			);
			return rows.map(({isLost, since, heartbeatAt, ...node}) => ({
				...node,
				since: since.toISOString(),
				heartbeatAt: heartbeatAt.toISOString(),
				state: isLost ? 'lost' : 'up',
			}));
		},
	};
}
