import {existsSync} from 'node:fs';
import path from 'node:path';
import {v7 as uuid} from 'uuid';
import {inject} from 'vitest';
import type {Keeping} from '../../src/domain/mail/inbox.js';
import type {Log} from '../../src/lib/log.js';
import {openJsonStore} from '../../src/store/json/open.js';
import type {Store} from '../../src/store/port.js';
import {openPostgresStore} from '../../src/store/postgres/open.js';
import {createDatabase, dropDatabase} from './databases.js';

/** The databases that stand for folders. */
const databases = new Map<string, string>();

/** Opens the store that the project is about: of JSON files in the folder, or of a database that stands for it. */
export async function openTestStore({
	dir,
	...options
}: {
	readonly dir: string;
	readonly log: Log;
	readonly keeping?: Keeping;
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
	await dropLeft();
	const url = await createDatabase();
	databases.set(dir, url);
	return url;
}

/** Drops the databases whose folders are gone: nobody opens them any more. */
async function dropLeft(): Promise<void> {
	for (const [dir, url] of databases) {
		if (!existsSync(dir)) {
			databases.delete(dir);
			await dropDatabase(url);
		}
	}
}
