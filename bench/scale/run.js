/**
 * `npm run scale [-- --database-cores 8 --node-cores 2 --users 1000 --seed 1]`: simulates the capacity of nodes on one database.
 * `npm run scale -- --measure` measures the figures of the simulation on this machine and writes them to `figures.json`.
 */
import {readFile, writeFile} from 'node:fs/promises';
import {parseArgs} from 'node:util';
import {simulate} from './simulate.js';

/**
 * @typedef {import('./simulate.js').Figures} Figures
 * @typedef {import('./simulate.js').Shape} Shape
 */

const file = new URL('figures.json', import.meta.url);

/** Maximum time of a reply; slower replies mean overload. */
const maxCommitMs = 250;

const {values} = parseArgs({
	options: {
		'database-cores': {type: 'string', default: '8'},
		'node-cores': {type: 'string', default: '2'},
		users: {type: 'string', default: '1000'},
		seed: {type: 'string', default: '1'},
		measure: {type: 'boolean', default: false},
	},
});

if (values.measure) {
	const {measureFigures} = await import('./measure.js');
	await writeFile(file, `${JSON.stringify(await measureFigures(), null, '\t')}\n`);
}

/** @type {Figures} */
const figures = JSON.parse(await readFile(file, 'utf8'));
const seed = Number(values.seed);
const machines = {
	nodeCores: Number(values['node-cores']),
	databases: 1,
	databaseCores: Number(values['database-cores']),
	users: Number(values.users),
};
const kinds = {
	'as it is': {},
	'all mail for one user': {users: 1},
	'reads from replicas': {replicas: true},
	'sources in an object store': {apart: true},
	'nodes tell each other': {direct: true},
	'inboxes in 4 databases': {databases: 4},
	'all of these': {replicas: true, apart: true, direct: true, databases: 4},
};

console.log('| | nodes | mails/s | bounded by | commit p50, p99 | wake-up p50, p99 | notices/s | log MB/s |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [name, kind] of Object.entries(kinds)) {
	for (const nodes of [1, 4, 16, 64]) {
		const shape = {...machines, ...kind, nodes};
		const most = mostOf(shape);
		const usual = simulate(figures, {...shape, mailsPerSecond: most.mailsPerSecond * 0.7}, seed);
		const columns = [
			name,
			nodes,
			Math.round(most.mailsPerSecond),
			boundOf(shape, most.mailsPerSecond),
			`${ms(usual.commitP50)}, ${ms(usual.commitP99)}`,
			`${ms(usual.wakeP50)}, ${ms(usual.wakeP99)}`,
			Math.round(usual.noticesPerSecond),
			most.walMegabytesPerSecond.toFixed(1),
		];
		console.log(`| ${columns.join(' | ')} |`);
	}
}

/**
 * The outcome at the highest rate at which replies are in time.
 * @param {Omit<Shape, 'mailsPerSecond'>} shape
 */
function mostOf(shape) {
	let best = simulate(figures, {...shape, mailsPerSecond: 1}, seed);
	let [low, high] = [1, (shape.nodes * shape.nodeCores * 1000) / figures.nodeCpuMs];
	for (let step = 0; step < 12 && high / low > 1.03; step++) {
		const middle = step < 4 ? Math.sqrt(low * high) : (low + high) / 2;
		const outcome = simulate(figures, {...shape, mailsPerSecond: middle}, seed);
		if (outcome.commitP99 <= maxCommitMs && outcome.share > 0.95) {
			best = outcome;
			low = middle;
		} else {
			high = middle;
		}
	}

	return best;
}

/**
 * The bottleneck: the resource whose halved cost allows slightly more mail than the maximum.
 * @param {Omit<Shape, 'mailsPerSecond'>} shape
 * @param {number} most maximum mails per second
 */
function boundOf(shape, most) {
	const {nodeCpuMs, heardCpuMs, batchCpuMs, mailCpuMs, readCpuMs, noticeCpuMs, listenerCpuMs, syncMs} = figures;
	/** @type {Record<string, [Partial<Figures>, Partial<Shape>]>} */
	const changes = {
		'processors of the nodes': [{nodeCpuMs: nodeCpuMs / 2, heardCpuMs: heardCpuMs / 2}, {}],
		'commits and reads of the database': [
			{batchCpuMs: batchCpuMs / 2, mailCpuMs: mailCpuMs / 2, readCpuMs: readCpuMs / 2},
			{},
		],
		notices: [{noticeCpuMs: noticeCpuMs / 2, listenerCpuMs: listenerCpuMs / 2}, {}],
		'the disk of the log': [{syncMs: syncMs / 2, walMegabytesPerSecond: figures.walMegabytesPerSecond * 2}, {}],
		'rows of users, which commits lock': [{}, {users: shape.users * 2}],
	};
	const late = Object.entries(changes).map(([name, [cheaper, other]]) => {
		const changed = {...shape, ...other, mailsPerSecond: most * 1.2};
		return {name, ...simulate({...figures, ...cheaper}, changed, seed)};
	});
	return late.sort((a, b) => a.commitP99 - b.commitP99)[0]?.name ?? '';
}

/** @param {number} value */
function ms(value) {
	return `${value.toFixed(1)} ms`;
}
