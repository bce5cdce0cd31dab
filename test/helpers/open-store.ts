import {existsSync} from 'node:fs';
import path from 'node:path';
import {v7 as uuid} from 'uuid';
import {inject} from 'vitest';
import type {Retention} from '../../src/domain/mail/inbox.js';
import type {Log} from '../../src/lib/log.js';
import {openJsonStore} from '../../src/store/json/open.js';
import type {Store} from '../../src/store/port.js';
import {openPostgresStore} from '../../src/store/postgres/open.js';
import {createDatabase, dropDatabase} from './databases.js';

/** URL of the database in place of each data folder. */
const databases = new Map<string, string>();

/** Opens the store of the current Vitest project: JSON files in the folder, or a database in place of it. */
export async function openTestStore({
	dir,
	...options
}: {
	readonly dir: string;
	readonly log: Log;
	readonly retention?: Retention;
}): Promise<Store> {
	return inject('store') === 'files'
		? openJsonStore({dir, ...options})
		: openPostgresStore({
				url: databases.get(dir) ?? (await databaseFor(dir)),
				dataDir: dir,
				keyFile: path.join(dir, 'store-key'),
				node: {id: uuid(), name: 'test', version: '0.0.0'},
				...options,
			});
}

async function databaseFor(dir: string): Promise<string> {
	await dropUnused();
	const url = await createDatabase();
	databases.set(dir, url);
	return url;
}

/** Drops the databases whose folders were deleted. */
async function dropUnused(): Promise<void> {
	for (const [dir, url] of databases) {
		if (!existsSync(dir)) {
			databases.delete(dir);
			await dropDatabase(url);
		}
	}
}
