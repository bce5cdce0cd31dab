/**
 * `npm run bench [-- name…] [--runs N] [--json] [--svg file]`: measures tinbox beside its peers, prints each figure
 * with its goal, and draws those that have one.
 * Servers listen on loopback, on free ports; loads are counted and end by themselves.
 */
import {writeFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {growth} from './benches/growth.js';
import {idleSmtp} from './benches/idle-smtp.js';
import {ingest} from './benches/ingest.js';
import {largeMails} from './benches/large.js';
import {packed} from './benches/packed.js';
import {polls} from './benches/polls.js';
import {startUp} from './benches/start-up.js';
import {storedMessages} from './benches/stored.js';
import {wakeUp} from './benches/wake-up.js';
import {watch} from './benches/watch.js';
import {webhooks} from './benches/webhooks.js';
import {picture} from './picture.js';

/**
 * @typedef {object} Figure
 * @property {string} what
 * @property {string} tinbox as shown
 * @property {string} [peer] as shown
 * @property {number} [ratio] compared with the goal, where a peer ran beside
 * @property {number} [value] compared with the goal, where none can
 * @property {{atLeast?: number, atMost?: number}} [goal] without one, the figure is only told
 *
 * @typedef {(options: {runs: number, progress: (text: string) => void}) => Promise<Figure[]>} Bench
 */

/** @type {Record<string, Bench>} */
const benches = {
	ingest,
	'wake-up': wakeUp,
	polls,
	'idle-smtp': idleSmtp,
	stored: storedMessages,
	growth,
	large: largeMails,
	webhooks,
	watch,
	'start-up': startUp,
	packed,
};

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		runs: {type: 'string', default: '3'},
		json: {type: 'boolean', default: false},
		svg: {type: 'string'},
	},
});
const names = positionals.length > 0 ? positionals : Object.keys(benches);
/** @type {Figure[]} */
const figures = [];
for (const name of names) {
	const bench = benches[name];
	if (!bench) {
		throw new Error(`There is no bench "${name}". There are: ${Object.keys(benches).join(', ')}.`);
	}

	const progress = (/** @type {string} */ text) => console.error(`  ${name}: ${text}`);
	try {
		figures.push(...(await bench({runs: Number(values.runs), progress})));
	} catch (error) {
		// The others are measured all the same.
		console.error(`  ${name} could not be measured: ${error instanceof Error ? error.message : error}`);
		process.exitCode = 1;
	}
}

const rows = figures.map(figure => ({...figure, met: isMet(figure)}));
if (values.svg !== undefined) {
	await writeFile(values.svg, picture(rows));
}

console.log(values.json ? JSON.stringify(rows, null, 2) : table(rows));

/** @param {Figure} figure */
function isMet({ratio, value, goal = {}}) {
	const measured = ratio ?? value ?? Number.NaN;
	return (
		measured >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && measured <= (goal.atMost ?? Number.POSITIVE_INFINITY)
	);
}

/** @param {Array<Figure & {met: boolean}>} rows */
function table(rows) {
	const cells = rows.map(({what, tinbox, peer, ratio, goal, met}) => [
		what,
		tinbox,
		peer ?? '',
		ratio === undefined ? '' : `${ratio.toFixed(2)} x`,
		...verdict(goal, met),
	]);
	const all = [['what', 'tinbox', 'beside', 'ratio', 'goal', ''], ...cells];
	const widths = all[0]?.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0))) ?? [];
	return all
		.map(row =>
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/**
 * @param {Figure['goal']} goal
 * @param {boolean} met
 */
function verdict(goal, met) {
	if (!goal) {
		return ['', ''];
	}

	const said = goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
	return [said, met ? 'met' : 'NOT MET'];
}
