import {once} from 'node:events';
import {createServer, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import postgres, {type Sql} from 'postgres';
import type {TestProject} from 'vitest/node';
import {LogPartitions} from '../../src/store/postgres/deliveries/retention.js';
import {migrate} from '../../src/store/postgres/schema.js';
import {Database} from '../../src/store/postgres/session/database.js';
import {Primary} from '../../src/store/postgres/session/primary.js';
import {readConnectionSettings} from '../../src/store/postgres/session/settings.js';
import {askDatabase, Cluster} from './postgres-cluster.js';
import {silent} from './resources.js';

declare module 'vitest' {
	interface ProvidedContext {
		/** Engine of the store that `openTestStore` opens. */
		store: 'files' | 'postgres';
		/** URL for requesting databases (`databases.ts`). */
		databases: string;
	}
}

/** Number of databases created in advance: usually one per worker. */
const createdInAdvance = 3;

/** Provides databases to the tests of a run, all on one server that starts with the first request. */
export default async function setUp({provide}: TestProject): Promise<() => Promise<void>> {
	let starting: Promise<DatabaseServer> | undefined;
	const answer = async ({method, url = ''}: IncomingMessage): Promise<string> => {
		starting ??= DatabaseServer.start().catch(error => {
			starting = undefined;
			throw error;
		});
		const server = await starting;
		return method === 'DELETE' ? server.drop(url.slice(1)) : url === '/empty' ? server.empty() : server.migrated();
	};
	const api = createServer((request, response) => {
		answer(request).then(
			text => response.end(text),
			error => response.writeHead(500).end(String(error)),
		);
	}).listen(0, '127.0.0.1');
	await once(api, 'listening');
	provide('databases', `http://127.0.0.1:${(api.address() as AddressInfo).port}`);
	return async () => {
		api.closeAllConnections();
		api.close();
		await (await starting)?.remove();
	};
}

class DatabaseServer {
	readonly #cluster: Cluster;
	readonly #sql: Sql;
	readonly #ready: Promise<string>[] = [];
	/** Copying files is faster than copying through the log; PostgreSQL before 15 only copies files. */
	#copy = '';
	#count = 0;

	private constructor(cluster: Cluster) {
		this.#cluster = cluster;
		this.#sql = postgres(cluster.url('postgres'), {max: 2, onnotice: () => {}});
	}

	static async start(): Promise<DatabaseServer> {
		const cluster = new Cluster({settings: {max_connections: '400'}});
		try {
			await cluster.create();
			const server = new DatabaseServer(cluster);
			await server.#sql`create database template`;
			await makeSchema(cluster.url('template'));
			const [version] = await server.#sql`select current_setting('server_version_num')::int as number`;
			server.#copy = version?.['number'] >= 150_000 ? 'strategy file_copy' : '';
			return server;
		} catch (error) {
			await cluster.remove();
			throw error;
		}
	}

	async empty(): Promise<string> {
		return this.#create('template1');
	}

	/** A database with the schema and no rows. */
	async migrated(): Promise<string> {
		while (this.#ready.length <= createdInAdvance) {
			const making = this.#create('template').then(withNewStoreId);
			making.catch(() => {});
			this.#ready.push(making);
		}

		return this.#ready.shift() as Promise<string>;
	}

	/** Does not wait until the database is dropped. */
	drop(name: string): string {
		void this.#sql.unsafe(`drop database if exists "${name}" with (force)`).catch(() => {});
		return '';
	}

	async remove(): Promise<void> {
		await this.#sql.end({timeout: 0});
		await this.#cluster.remove();
	}

	async #create(template: string): Promise<string> {
		const name = `test_${++this.#count}`;
		await this.#sql.unsafe(`create database ${name} template ${template} ${this.#copy}`);
		return this.#cluster.url(name);
	}
}

/** Replaces the store id, which a copied database shares with the template. */
async function withNewStoreId(url: string): Promise<string> {
	await askDatabase(url, 'update tinbox.store set id = gen_random_uuid()');
	return url;
}

async function makeSchema(url: string): Promise<void> {
	const database = new Database(await Primary.find(readConnectionSettings(url, {}), silent));
	await migrate(database);
	await new LogPartitions(database).prepare();
	await database.close();
}
