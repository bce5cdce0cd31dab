/**
 * `npm run test:crash [-- --short] [kills] [suite…]`: kills daemons at random and at each step of disk operations, starts two
 * daemons on one folder, fills a disk, and runs the long form of the store tests. Each suite also runs on daemons with a
 * defect, which it must detect.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {printDetection, printVerdict, problemsIn} from '../../helpers/verdict.js';
import {runStoreTests} from './store-tests.js';
import {suites} from './suites.js';

/** Maximum number of runs to detect a defect. */
const maxRuns = 4;

const {values, positionals} = parseArgs({allowPositionals: true, options: {short: {type: 'boolean', default: false}}});
const kills = Number(positionals.find(arg => /^\d+$/.test(arg)) ?? 500);
const named = positionals.filter(arg => !/^\d+$/.test(arg));
const names = named.length > 0 ? named : [...Object.keys(suites), 'store'];
// Suites of a short run mostly wait, so some of them run in parallel, starting with the longest.
const lanes = values.short ? 3 : 1;
const longest = ['store', 'pg-kills', 'pg-failover'];
const left = [...names.filter(name => longest.includes(name)), ...names.filter(name => !longest.includes(name))];
await Promise.all(Array.from({length: lanes}, runSuites));

async function runSuites() {
	for (let name = left.shift(); name !== undefined; name = left.shift()) {
		const isFine = name === 'store' ? await runStoreTests(values) : await runSuite(name);
		if (!isFine) {
			process.exitCode = 1;
		}
	}
}

/** @param {string} name */
async function runSuite(name) {
	const suite = suites[name];
	if (!suite) {
		throw new Error(`There is no suite "${name}". There are: ${Object.keys(suites).join(', ')}, store.`);
	}

	const progress = (/** @type {string} */ text) => process.stderr.isTTY && process.stderr.write(`\r${name}: ${text}  `);
	const startedAt = performance.now();
	const rounds = values.short ? suite.short : suite.long(kills);
	const real = await inTemporaryHome(home => suite.run(home, rounds, progress));
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	if ('skipped' in real) {
		console.log(`${name}: SKIPPED, ${real.skipped}`);
		return true;
	}

	let isFine = printVerdict(name, suite, {counts: real, seconds});
	for (const run of suite.wrong) {
		isFine = printDetection(name, suite, await runUntilFound(suite, home => run(home, progress))) && isFine;
	}

	return isFine;
}

/**
 * Runs a suite on a faulty daemon until it detects the defect, since random kills may miss it.
 * @param {import('./suites.js').Suite} suite
 * @param {(home: string) => Promise<object>} run
 */
async function runUntilFound({problems}, run) {
	let counts = await inTemporaryHome(run);
	for (let runs = 1; runs < maxRuns && problemsIn(problems, counts).length === 0; runs++) {
		counts = await inTemporaryHome(run);
	}

	return counts;
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
