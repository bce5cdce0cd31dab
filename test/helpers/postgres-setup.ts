import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import type {TestProject} from 'vitest/node';
import {openPostgresStore} from '../../src/store/postgres/open.js';
import {Cluster} from './postgres-cluster.js';
import {silent} from './resources.js';

declare module 'vitest' {
	interface ProvidedContext {
		/** A server, the database of it from which others are copied, and what opens the secrets of all. */
		postgres: {readonly url: string; readonly template: string; readonly keyFile: string};
	}
}

/** A server for all tests of this run. */
export default async function setUp({provide}: TestProject): Promise<() => Promise<void>> {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-template-'));
	const cluster = new Cluster();
	await cluster.create();
	const template = await cluster.createDatabase();
	const keyFile = path.join(folder, 'key');
	const node = {id: 'template', name: 'template', version: '0.0.0'};
	const store = await openPostgresStore({url: cluster.url(template), dataDir: folder, keyFile, node, log: silent});
	await store.close();
	provide('postgres', {url: cluster.url('postgres'), template, keyFile});
	return async () => {
		await cluster.remove();
		await rm(folder, {recursive: true, force: true});
	};
}
