import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {afterAll, beforeAll} from 'vitest';
import {ownEnv, runCli} from '../helpers/cli.js';
import {type Row, testSelectedRows} from '../unit/http/accounts/rows.js';
import {tables} from '../unit/http/accounts/table/tables.js';
import {type Daemon, DaemonWorld} from './daemon-world.js';

let home: string;
let daemon: Daemon;

beforeAll(async () => {
	home = await mkdtemp(path.join(tmpdir(), 'tinbox-table-'));
	daemon = JSON.parse((await runCli(ownEnv(home), ['daemon', 'start', '--json'])).stdout);
});

afterAll(async () => {
	await runCli(ownEnv(home), ['daemon', 'stop']);
	await rm(home, {recursive: true, force: true});
});

/** One accepted and one rejected row per table. `test/unit/http/accounts` runs all rows in one process; this file covers the built program. */
function sampleRows(rows: readonly Row[]): readonly Row[] {
	const [accepted, rejected] = [rows.find(({status}) => status < 400), rows.find(({status}) => status >= 400)];
	return [accepted, rejected].filter(row => row !== undefined);
}

for (const table of Object.values(tables)) {
	table(testSelectedRows(async () => DaemonWorld.open(daemon), sampleRows));
}
