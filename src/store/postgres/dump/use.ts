import {lostAfterMs} from '../../../domain/node.js';
import {StoreError} from '../../../lib/errors.js';
import type {Sql} from '../connection.js';
import type {Database} from '../database.js';
import {locks} from '../locks.js';

/** Throws `StoreError` for a copy of which a part is missing: who used it would take it for the whole. */
export async function assertWholeDatabase(database: Database): Promise<void> {
	const [mark] = await database.run(sql => sql`select from copy_mark where not is_whole`);
	if (mark) {
		throw new StoreError('The database contains an unfinished copy. Finish it: tinbox store copy');
	}
}

/** Keeps other copies out as long as the session lasts. Throws `StoreError` when there is one, or when nodes use the database. */
export async function takeForCopy(session: Sql): Promise<void> {
	const [taken] = await session`select pg_try_advisory_lock(${locks.copy}) as "isMine"`;
	if (!taken?.['isMine']) {
		throw new StoreError('Another "tinbox store copy" is running in the database. Wait until it ends.');
	}

	const nodes = await session<{name: string}[]>`
		select name from nodes where heartbeat_at >= now() - ${`${lostAfterMs} milliseconds`}::interval order by name
	`;
	if (nodes.length > 0) {
		const names = nodes.map(({name}) => name).join(', ');
		throw new StoreError(`The database is in use (nodes: ${names}). Stop these nodes.`);
	}
}
