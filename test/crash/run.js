/**
 * `npm run test:crash [-- kills] [suite…]`: kills the daemon that often at random, and some times at each step of what
 * it does on disk and while webhooks are due; starts two on one folder; fills a disk; and runs the tests of the store in
 * their long form. Each suite also runs on a daemon that is wrong on purpose, which it must catch.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {printVerdict} from '../helpers/verdict.js';
import {runStoreTests} from './store-tests.js';
import {suites} from './suites.js';

const args = process.argv.slice(2);
const kills = Number(args.find(arg => /^\d+$/.test(arg)) ?? 500);
const names = args.filter(arg => !/^\d+$/.test(arg));
let isFine = true;
for (const name of names.length > 0 ? names : [...Object.keys(suites), 'store']) {
	isFine = (name === 'store' ? await runStoreTests() : await runSuite(name)) && isFine;
}

process.exitCode = isFine ? 0 : 1;

/** @param {string} name */
async function runSuite(name) {
	const suite = suites[name];
	if (!suite) {
		throw new Error(`There is no suite "${name}". There are: ${Object.keys(suites).join(', ')}, store.`);
	}

	const progress = (/** @type {string} */ text) => process.stderr.write(`\r${name}: ${text}  `);
	const startedAt = performance.now();
	const real = await inTemporaryHome(home => suite.run(home, kills, progress));
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	const wrong = await inTemporaryHome(home => suite.wrong(home, progress));
	process.stderr.write('\n');
	if ('skipped' in real) {
		console.log(`${name}: SKIPPED, ${real.skipped}`);
		return true;
	}

	return printVerdict(name, suite, {real, wrong, seconds});
}

/**
 * @template T
 * @param {(home: string) => Promise<T>} work
 */
async function inTemporaryHome(work) {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-crash-'));
	try {
		return await work(home);
	} finally {
		await rm(home, {recursive: true, force: true});
	}
}
