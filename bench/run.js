/**
 * `npm run bench [-- name…] [--runs N] [--beside folder] [--json] [--svg file]`: compares tinbox with its peers or with another
 * build, prints each figure with its goal, and draws the figures that have one.
 */
import {writeFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {faults} from './benches/faults.js';
import {growth} from './benches/growth.js';
import {idleSmtp} from './benches/idle-smtp.js';
import {ingest} from './benches/ingest.js';
import {largeMails} from './benches/large.js';
import {packed} from './benches/packed.js';
import {polls} from './benches/polls.js';
import {onPostgres} from './benches/postgres.js';
import {sending} from './benches/sending.js';
import {startUp} from './benches/start-up.js';
import {storedMessages} from './benches/stored.js';
import {tls} from './benches/tls.js';
import {tlsStart} from './benches/tls-start.js';
import {wakeUp} from './benches/wake-up.js';
import {watch} from './benches/watch.js';
import {web} from './benches/web.js';
import {webhooks} from './benches/webhooks.js';
import {isMet, table} from './figures.js';
import {picture} from './picture.js';
import {otherBuild} from './servers/start.js';

/**
 * @typedef {import('./figures.js').Figure} Figure
 *
 * @typedef {object} Options
 * @property {number} runs
 * @property {(text: string) => void} progress
 * @property {import('./servers/start.js').Build} [other] build to compare with
 *
 * @typedef {(options: Options) => Promise<Figure[]>} Bench
 */

/** Benchmarks that can compare another build in the same run. */
const benchesBeside = {ingest, faults, 'wake-up': wakeUp, polls, stored: storedMessages, 'start-up': startUp};

/** @type {Record<string, Bench>} */
const allBenches = {
	...benchesBeside,
	'idle-smtp': idleSmtp,
	growth,
	large: largeMails,
	webhooks,
	sending,
	tls,
	'tls-start': tlsStart,
	watch,
	web,
	packed,
	postgres: onPostgres,
};

try {
	await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}

async function main() {
	const {values, positionals} = parseArgs({
		allowPositionals: true,
		options: {
			runs: {type: 'string', default: '3'},
			beside: {type: 'string'},
			json: {type: 'boolean', default: false},
			svg: {type: 'string'},
		},
	});
	const runs = Number(values.runs);
	if (!Number.isInteger(runs) || runs < 1) {
		throw new Error(`--runs takes a whole number from 1, not "${values.runs}".`);
	}

	const other = values.beside === undefined ? undefined : await otherBuild(values.beside);
	const figures = await measure(benchesNamed(positionals, other !== undefined), {runs, ...(other && {other})});
	if (values.svg !== undefined) {
		await writeFile(values.svg, picture(figures));
	}

	const rows = figures.map(figure => ({...figure, met: isMet(figure)}));
	console.log(values.json ? JSON.stringify(rows, null, 2) : table(figures));
}

/**
 * @param {readonly string[]} names all benchmarks if empty
 * @param {boolean} isBeside
 * @returns {Array<[name: string, bench: Bench]>}
 */
function benchesNamed(names, isBeside) {
	/** @type {Record<string, Bench>} */
	const benches = isBeside ? benchesBeside : allBenches;
	return (names.length > 0 ? names : Object.keys(benches)).map(name => {
		const bench = benches[name];
		if (!bench) {
			const there = Object.keys(benches).join(', ');
			throw new Error(`There is no bench "${name}"${isBeside ? ' with --beside' : ''}. There are: ${there}.`);
		}

		return [name, bench];
	});
}

/**
 * @param {ReadonlyArray<[name: string, bench: Bench]>} benches
 * @param {Omit<Options, 'progress'>} options
 */
async function measure(benches, options) {
	/** @type {Figure[]} */
	const figures = [];
	for (const [name, bench] of benches) {
		const progress = (/** @type {string} */ text) => console.error(`  ${name}: ${text}`);
		try {
			figures.push(...(await bench({...options, progress})));
		} catch (error) {
			// Other benchmarks still run.
			console.error(`  ${name} could not be measured: ${error instanceof Error ? error.message : error}`);
			process.exitCode = 1;
		}
	}

	return figures;
}
