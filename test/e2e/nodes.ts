import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {afterAll, beforeAll} from 'vitest';
import {endDaemon, ownEnv, runCli} from '../helpers/cli.js';
import {createDatabase, dropDatabase} from '../helpers/databases.js';
import {whyNoPostgres} from '../helpers/postgres-cluster.js';
import type {Daemon} from './daemon-world.js';

export const hasNoPostgres = whyNoPostgres() !== undefined;

export type Node = {readonly env: Record<string, string>; readonly daemon: Daemon};

/** Starts three daemons on one database for the tests of a `describe`. Settings are environment variables. */
export function useNodes(settings: Readonly<Record<string, string>> = {}) {
	let home: string;
	let database: string;
	let envs: readonly Record<string, string>[] = [];
	let nodes: readonly Node[] = [];

	beforeAll(async () => {
		home = await mkdtemp(path.join(tmpdir(), 'tinbox-nodes-'));
		database = await createDatabase({isEmpty: true});
		const store = {
			TINBOX_STORE: database,
			TINBOX_STORE_KEY_FILE: path.join(home, 'key'),
		};
		envs = [1, 2, 3].map(number => ({...ownEnv(path.join(home, String(number))), ...store, ...settings}));
		const [first = {}, ...others] = envs;
		// The first node creates the key that the others need.
		nodes = [await start(first), ...(await Promise.all(others.map(start)))];
	});

	afterAll(async () => {
		await Promise.all(envs.map(async env => endDaemon(env)));
		await dropDatabase(database);
		await rm(home, {recursive: true, force: true, maxRetries: 10});
	});

	return {
		all: () => nodes,
		daemons: () => nodes.map(({daemon}) => daemon) as [Daemon, Daemon, Daemon],
	};
}

async function start(env: Record<string, string>): Promise<Node> {
	const {stdout, stderr} = await runCli(env, ['daemon', 'start', '--json']);
	if (stdout === '') {
		throw new Error(stderr);
	}

	return {env, daemon: JSON.parse(stdout)};
}
