/** `npm run test:crash [-- rounds]`: the kill loop over mail in full, on the built daemon and on the variant that is wrong on purpose. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {buildHastyDaemon, startDaemon} from './daemons.js';
import {killLoop} from './kill-loop.js';

const rounds = Number(process.argv[2] ?? 100);

/**
 * @param {string} name
 * @param {(home: string) => Promise<import('./kill-loop.js').CrashedDaemon>} start
 * @param {number} count
 */
async function run(name, start, count) {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-crash-'));
	const losses = await killLoop(
		() => start(home),
		count,
		line => process.stderr.write(`\r${name}: ${line}  `),
	);
	await rm(home, {recursive: true, force: true});
	console.log(`\n${name}: ${JSON.stringify(losses)}`);
	return losses;
}

const real = await run('tinbox', startDaemon, rounds);
const hasty = await run('the hasty variant', await buildHastyDaemon(), 10);
if (real.lost > 0 || real.duplicated > 0 || real.acknowledged === 0 || hasty.lost === 0) {
	process.exitCode = 1;
}
