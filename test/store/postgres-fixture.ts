import {rm} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {v7 as uuid} from 'uuid';
import {afterAll, onTestFinished} from 'vitest';
import {hashSecret} from '../../src/domain/secret.js';
import {openPostgresStore, type PostgresStoreOptions} from '../../src/store/postgres/open.js';
import {Cluster, whyNoPostgres} from '../helpers/postgres-cluster.js';
import {rememberingLog, temporaryFolder} from './json-fixture.js';

/** For `describe.skipIf`; the reason is said once a file by `testCluster`. */
export const hasNoPostgres = whyNoPostgres() !== undefined;

/** A server for the tests of a file, or of a `describe`. It starts with the first database and goes after the last test. */
export function testCluster(options?: ConstructorParameters<typeof Cluster>[0]) {
	let starting: Promise<Cluster> | undefined;
	if (hasNoPostgres) {
		console.warn(`Tests on PostgreSQL are skipped: ${whyNoPostgres()}.`);
	}

	afterAll(async () => (await starting)?.remove());
	const cluster = async () => {
		starting ??= start(new Cluster(options));
		return starting;
	};
	return {
		cluster,
		/** The URL of an empty database, which goes when the test is over. */
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

/** The same for all nodes of a database, whose names no two servers or tests have at the same time. */
export function keyFileFor(url: string): string {
	const folder = path.join(tmpdir(), `tinbox-key-${hashSecret(url).slice(0, 16)}`);
	onTestFinished(async () => rm(folder, {recursive: true, force: true}));
	return path.join(folder, 'key');
}

/** Opens a store as a node of its own does; it is closed when the test is over. */
export async function openNode(url: string, options: Partial<PostgresStoreOptions> = {}) {
	const store = await openPostgresStore({
		url,
		dataDir: await temporaryFolder(),
		keyFile: keyFileFor(url),
		node: {id: uuid(), name: hostname(), version: '0.0.0'},
		log: rememberingLog().log,
		...options,
	});
	onTestFinished(async () => store.close());
	return store;
}
