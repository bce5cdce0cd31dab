/**
 * `npm run test:api [-- --short] [--cases <number>] [--examples <per route>] [--lanes <number>] [--seed <number>]`:
 * schemathesis sends valid and invalid requests from the OpenAPI document and reports responses that it does not describe.
 * Rounds with different daemons and seeds run in parallel lanes until the number of cases is reached. Every operation must
 * succeed once, and a daemon with an additional response field must be detected. `SCHEMATHESIS` is the path of the program if
 * it is not on the PATH.
 */
import {spawnSync} from 'node:child_process';
import {parseArgs} from 'node:util';
import {runRound} from './round.js';

const {values} = parseArgs({
	options: {
		short: {type: 'boolean', default: false},
		cases: {type: 'string', default: '100000'},
		examples: {type: 'string', default: '100'},
		lanes: {type: 'string', default: '2'},
		seed: {type: 'string'},
	},
});
/** The short form is deterministic. */
const firstSeed = Number(values.seed ?? (values.short ? 1 : Date.now() % 1_000_000));

const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
if (spawnSync(program, ['--version']).status === 0) {
	process.exitCode = (await detectsWrong()) && (await passes()) ? 0 : 1;
} else {
	console.error('This requires schemathesis 4: pip install schemathesis, or set SCHEMATHESIS to its path.');
	process.exitCode = 1;
}

async function detectsWrong() {
	const {isFine} = await runRound({
		program,
		phases: ['coverage'],
		examples: '1',
		seed: '1',
		isWrong: true,
		only: 'listPlans',
	});
	console.log(`api, with a field that is not described: ${isFine ? 'NOT FOUND' : 'found'}`);
	return !isFine;
}

async function passes() {
	const minCases = values.short ? 1 : Number(values.cases);
	/** @type {Map<string, boolean>} operations, with true if a call succeeded */
	const reached = new Map();
	let [rounds, cases, isFine] = [0, 0, true];
	const lane = async () => {
		while (isFine && cases < minCases) {
			const number = rounds++;
			const round = await runRound({program, ...optionsOf(number)});
			cases += round.cases;
			isFine &&= round.isFine;
			for (const [operation, hadSuccess] of round.reached) {
				reached.set(operation, hadSuccess || reached.get(operation) === true);
			}

			console.log(round.isFine ? `round ${number}: ${round.cases} cases, ${cases} in all` : round.text);
		}
	};
	await Promise.all(Array.from({length: values.short ? 1 : Number(values.lanes)}, lane));
	const missed = [...reached].filter(([, hadSuccess]) => !hadSuccess).map(([operation]) => operation);
	console.log(`api: ${isFine ? 'fine' : 'WRONG'}: ${cases} cases, seed ${firstSeed}, ${reached.size} operations`);
	console.log(
		missed.length === 0 ? 'api: each operation had a success' : `api, WITHOUT A SUCCESS: ${missed.join(', ')}`,
	);
	return isFine && missed.length === 0;
}

/**
 * The coverage phase only runs in the first round, since its cases do not depend on the seed. The phase of examples runs
 * always: the other phases learn existing ids from it.
 * @param {number} round
 */
function optionsOf(round) {
	const coverage = values.short || round === 0 ? ['coverage'] : [];
	const random = values.short ? [] : ['fuzzing', 'stateful'];
	return {
		phases: ['examples', ...coverage, ...random],
		examples: values.short ? '1' : values.examples,
		seed: String(firstSeed + round),
	};
}
