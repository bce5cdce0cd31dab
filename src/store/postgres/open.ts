import type {Log} from '../../lib/log.js';
import {connect} from './connection.js';
import {Database} from './database.js';
import {migrate} from './migrate.js';
import {postgresUsers} from './nouns/users.js';

/** What the other nodes know of this one. */
export type NodeIdentity = {
	/** Of this run. */
	readonly id: string;
	/** Of its host. */
	readonly name: string;
	readonly version: string;
	/** Where it answers HTTP; empty until it listens. */
	readonly address: string;
};

export type PostgresStoreOptions = {
	/** As libpq reads it; what it does not say, the variables `PG*` do. */
	readonly url: string | undefined;
	/** For large mail on its way into the database. */
	readonly dataDir: string;
	readonly node: NodeIdentity;
	readonly log: Log;
};

/** Opens the store in a database, which it may share with other nodes. Throws `StoreError` when it cannot be used. */
export async function openPostgresStore({url}: PostgresStoreOptions) {
	const sql = connect(url);
	const database = new Database(sql);
	await migrate(sql).catch(async error => {
		await sql.end();
		throw error;
	});
	return {
		users: postgresUsers(database),
		close: async () => database.close(),
	};
}
