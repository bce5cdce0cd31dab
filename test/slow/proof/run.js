/**
 * `npm run test:proof [-- suite…] [--short] [--folder <mails>] [--seed <number>] [--minutes <soak>] [--verbose]`: runs each
 * suite on the daemon and on variants with a defect. A full run includes the soak only if it is named.
 */
import {parseArgs} from 'node:util';
import {printDetection, printVerdict} from '../../helpers/verdict.js';
import {buildTestDaemon, startTestDaemon} from './start.js';
import {prove, suites} from './suites.js';

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		short: {type: 'boolean', default: false},
		verbose: {type: 'boolean', default: false},
		folder: {type: 'string'},
		seed: {type: 'string'},
		minutes: {type: 'string'},
	},
});
const chosen = {
	...(values.folder !== undefined && {folder: values.folder}),
	...(values.seed !== undefined && {seed: Number(values.seed)}),
	...(values.minutes !== undefined && {seconds: Number(values.minutes) * 60}),
};
await buildTestDaemon();
/** Suites that a short run leaves out, because other suites run beside it and delay them. */
const onlyFull = ['costs', 'costs-postgres'];
const usual = Object.keys(suites).filter(name => (values.short ? !onlyFull.includes(name) : name !== 'soak'));
for (const name of positionals.length > 0 ? positionals : usual) {
	const suite = suites[name];
	if (!suite) {
		throw new Error(`There is no suite "${name}". There are: ${Object.keys(suites).join(', ')}.`);
	}

	if (suite.skipped !== undefined) {
		console.log(`${name}: skipped: ${suite.skipped}`);
		continue;
	}

	const startedAt = performance.now();
	const progress = (/** @type {string} */ text) => values.verbose && console.error(`  ${name}: ${text}`);
	const real = await prove(suite, suite.start ?? startTestDaemon, {
		...(values.short ? suite.short : suite.long),
		...chosen,
		progress,
	});
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	// Short runs share the machine with other programs, which can cause stalls.
	const tolerated = values.short ? ['stalls'] : [];
	let isFine = printVerdict(name, suite, {counts: real, seconds, tolerated});
	for (const {start, options} of suite.wrong) {
		isFine = printDetection(name, suite, await prove(suite, start, options)) && isFine;
	}

	if (!isFine) {
		process.exitCode = 1;
	}
}
