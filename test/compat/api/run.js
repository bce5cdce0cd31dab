/**
 * `npm run test:api [-- --short] [--cases <number>] [--examples <a route>] [--lanes <number>] [--seed <number>]`: schemathesis
 * asks daemons whatever their OpenAPI document allows and forbids, and finds answers that the document does not describe. It goes on
 * in rounds, each with a daemon and a seed of its own, so many at once as there are lanes, until there were so many cases. Every
 * operation must have had a success. It must find out a daemon whose answers have one field more. `SCHEMATHESIS` names the program
 * where it is not on the PATH.
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
/** The short form asks the same whenever it is run. */
const firstSeed = Number(values.seed ?? (values.short ? 1 : Date.now() % 1_000_000));

const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
if (spawnSync(program, ['--version']).status === 0) {
	process.exitCode = (await findsWrong()) && (await findsNothing()) ? 0 : 1;
} else {
	console.error('This needs schemathesis 4: pip install schemathesis, or name the program in SCHEMATHESIS.');
	process.exitCode = 1;
}

async function findsWrong() {
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

async function findsNothing() {
	const wanted = values.short ? 1 : Number(values.cases);
	/** @type {Map<string, boolean>} whether it ever had a success, by operation */
	const reached = new Map();
	let [rounds, cases, isFine] = [0, 0, true];
	const lane = async () => {
		while (isFine && cases < wanted) {
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
 * Coverage, whose cases are the same for each seed, is for the first round; of examples the other phases learn what is there.
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
