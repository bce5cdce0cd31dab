import {spawnSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {median} from '../statistics.js';

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));
const tries = 25;

/**
 * Whole processes of the CLI beside an empty Node.js, taking turns.
 * @type {import('../run.js').Bench}
 */
export async function startUp() {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-bench-start-'));
	const env = {...process.env, TINBOX_HOME: home, TINBOX_SMTP_PORT: '0', TINBOX_HTTP_PORT: '0'};
	/** @type {Record<string, string[]>} */
	const commands = {
		bare: ['-e', '0'],
		version: [bin, '--version'],
		list: [bin, 'inbox', 'list'],
	};
	/** @type {Record<string, number[]>} */
	const times = {bare: [], version: [], list: []};
	spawnSync(process.execPath, [bin, 'inbox', 'create'], {env});
	for (let count = -3; count < tries; count++) {
		for (const [name, args] of Object.entries(commands)) {
			const startedAt = performance.now();
			const {status} = spawnSync(process.execPath, args, {env, stdio: ['ignore', 'pipe', 'inherit']});
			if (status !== 0) {
				throw new Error(`node ${args.join(' ')} ended with ${status}.`);
			}

			// The first three rounds fill the caches of the machine.
			if (count >= 0) {
				times[name]?.push(performance.now() - startedAt);
			}
		}
	}

	spawnSync(process.execPath, [bin, 'daemon', 'stop'], {env});
	await rm(home, {recursive: true, force: true});
	const of = (/** @type {string} */ name) => median(times[name] ?? []);
	const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
	return [
		{
			what: 'tinbox --version',
			tinbox: ms(of('version')),
			peer: `node -e 0 ${ms(of('bare'))}`,
			ratio: of('version') / of('bare'),
			goal: {atMost: 1.3},
		},
		{
			what: 'tinbox inbox list',
			tinbox: ms(of('list')),
			peer: `node -e 0 ${ms(of('bare'))}`,
			ratio: of('list') / of('bare'),
			goal: {atMost: 1.5},
		},
	];
}
