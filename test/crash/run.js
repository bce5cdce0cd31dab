/**
 * `npm run test:crash [-- rounds]`: the kill loops in full, over mail on the built daemon and on the variant that is wrong
 * on purpose, and over webhook deliveries.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {buildHastyDaemon, startDaemon} from './daemons.js';
import {killLoop} from './kill-loop.js';
import {flags, webhookKills} from './webhook-kills.js';

const rounds = Number(process.argv[2] ?? 100);

/**
 * @template T
 * @param {string} name
 * @param {(home: string, progress: (line: string) => void) => Promise<T>} loop
 */
async function run(name, loop) {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-crash-'));
	const result = await loop(home, line => process.stderr.write(`\r${name}: ${line}  `));
	await rm(home, {recursive: true, force: true});
	console.log(`\n${name}: ${JSON.stringify(result)}`);
	return result;
}

const real = await run('tinbox', (home, progress) => killLoop(() => startDaemon(home), rounds, progress));
const startHastyDaemon = await buildHastyDaemon();
const hasty = await run('the hasty variant', (home, progress) => killLoop(() => startHastyDaemon(home), 10, progress));
const {forgotten, doubled, mixedUp, changed, unfinished} = await run('webhooks', (home, progress) =>
	webhookKills(() => startDaemon(home, ...flags), rounds, progress),
);
if (
	real.lost + real.duplicated + forgotten + doubled + mixedUp + changed + unfinished > 0 ||
	real.acknowledged === 0 ||
	hasty.lost === 0
) {
	process.exitCode = 1;
}
