import {StoreError} from '../../lib/errors.js';
import type {Log} from '../../lib/log.js';
import {readConnectionSettings} from './connection-settings.js';
import {Database} from './database.js';
import {migrate} from './migrate.js';
import {postgresUsers} from './nouns/users.js';
import {Primary} from './primary.js';
import {whyNone} from './why-none.js';

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
	readonly url: string;
	/** For large mail on its way into the database. */
	readonly dataDir: string;
	readonly node: NodeIdentity;
	readonly log: Log;
};

/** Opens the store in a database, which it may share with other nodes. Throws `StoreError` when it cannot be used. */
export async function openPostgresStore({url, log}: PostgresStoreOptions) {
	const settings = readConnectionSettings(url, process.env);
	const primary = await Primary.find(settings, log);
	const database = new Database(primary);
	await migrate(database.sql).catch(async error => {
		const [server] = settings.servers;
		await database.close();
		throw error instanceof StoreError ? error : whyNone([{server: primary.server ?? server, error}], settings);
	});
	return {
		users: postgresUsers(database),
		isAvailable: () => primary.isAvailable,
		close: async () => database.close(),
	};
}
