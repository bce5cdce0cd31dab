import {existsSync} from 'node:fs';
import {v7 as uuid} from 'uuid';
import {inject} from 'vitest';
import type {Log} from '../../src/lib/log.js';
import {openJsonStore} from '../../src/store/json/open.js';
import {openPostgresStore} from '../../src/store/postgres/open.js';
import type {Store} from '../../src/store/store.js';
import {askDatabase} from './postgres-cluster.js';

/** The databases that stand for folders. */
const databases = new Map<string, string>();

/** Opens the store that this run of the tests is about: of JSON files in the folder, or of a database that stands for it. */
export async function openTestStore({dir, log}: {readonly dir: string; readonly log: Log}): Promise<Store> {
	const server = inject('postgres');
	if (server === undefined) {
		return openJsonStore({dir, log});
	}

	const name = databases.get(dir) ?? (await createDatabase(server, dir));
	return openPostgresStore({
		url: server.url.replace(/\w+$/, name),
		dataDir: dir,
		keyFile: server.keyFile,
		node: {id: uuid(), name: 'test', version: '0.0.0'},
		log,
	});
}

async function createDatabase({url, template}: {readonly url: string; readonly template: string}, dir: string) {
	await dropLeft(url);
	const name = `test_${uuid().replaceAll('-', '')}`;
	await askDatabase(url, `create database ${name} template ${template}`);
	databases.set(dir, name);
	return name;
}

/** Drops the databases whose folders are gone: nobody opens them any more. */
async function dropLeft(url: string): Promise<void> {
	for (const [dir, name] of databases) {
		if (!existsSync(dir)) {
			databases.delete(dir);
			await askDatabase(url, `drop database ${name} with (force)`);
		}
	}
}
