import {rm} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {v7 as uuid} from 'uuid';
import {afterAll, onTestFinished} from 'vitest';
import {hashSecret} from '../../../src/domain/accounts/secrets.js';
import {openPostgresStore, type PostgresStoreOptions} from '../../../src/store/postgres/open.js';
import {createDatabase, dropDatabase} from '../../helpers/databases.js';
import {askDatabase, Cluster, whyNoPostgres} from '../../helpers/postgres-cluster.js';
import {recordingLog, temporaryFolder} from './json-fixture.js';

export const hasNoPostgres = whyNoPostgres() !== undefined;

/** Number of rows that need three batches. */
export const largeAmounts = {rows: 3000, inboxes: 150, endpoints: 20};

/** Installs triggers that count changed rows. The returned function resolves to the largest number in one transaction. */
export async function countSteps(url: string): Promise<() => Promise<number>> {
	const trigger = (event: 'delete' | 'update', table: string) => `
		create trigger ${event}_step after ${event} on tinbox.${table} referencing old table as gone
		for each statement execute function public.count_step()
	`;
	await askDatabase(
		url,
		`create table public.steps (xid xid8 not null default pg_current_xact_id(), rows bigint not null);
		create function public.count_step() returns trigger language plpgsql as $$
		begin
			insert into public.steps (rows) select count(*) from gone;
			return null;
		end $$;
		${trigger('delete', 'messages')};
		${trigger('delete', 'deliveries')};
		${trigger('delete', 'inboxes')};
		${trigger('update', 'inboxes')}`,
	);
	return async () => {
		const [largest] = await askDatabase(
			url,
			'select sum(rows) as rows from public.steps group by xid order by 1 desc limit 1',
		);
		return Number(largest?.['rows']);
	};
}

/** Creates a database with the schema of the store, or an empty one, and drops it after the test. Resolves to its URL. */
export async function newDatabase(options?: {readonly isEmpty?: boolean}): Promise<string> {
	const url = await createDatabase(options);
	onTestFinished(async () => dropDatabase(url));
	return url;
}

/**
 * A server for tests that stop or configure it, or that look at all of its data. It starts with the first database and is
 * removed after the last test.
 */
export function testCluster(options?: ConstructorParameters<typeof Cluster>[0]) {
	let starting: Promise<Cluster> | undefined;
	afterAll(async () => (await starting)?.remove());
	const cluster = async () => {
		starting ??= start(new Cluster(options));
		return starting;
	};
	return {
		cluster,
		/** Creates an empty database, which is dropped after the test. */
		async database(): Promise<string> {
			const server = await cluster();
			const name = await server.createDatabase();
			onTestFinished(async () => server.dropDatabase(name));
			return server.url(name);
		},
	};
}

async function start(cluster: Cluster): Promise<Cluster> {
	try {
		await cluster.create();
		return cluster;
	} catch (error) {
		await cluster.remove();
		throw error;
	}
}

/** Path of a key file that all nodes of a database share, and no other database. */
export function keyFileFor(url: string): string {
	const folder = path.join(tmpdir(), `tinbox-key-${hashSecret(url).slice(0, 16)}`);
	onTestFinished(async () => rm(folder, {recursive: true, force: true}));
	return path.join(folder, 'key');
}

/** Opens the store of a node. It is closed after the test. */
export async function openNode(url: string, options: Partial<PostgresStoreOptions> = {}) {
	const store = await openPostgresStore({
		url,
		dataDir: await temporaryFolder(),
		keyFile: keyFileFor(url),
		node: {id: uuid(), name: hostname(), version: '0.0.0'},
		log: recordingLog().log,
		...options,
	});
	onTestFinished(async () => store.close());
	return store;
}
