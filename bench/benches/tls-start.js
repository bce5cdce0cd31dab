import {rm} from 'node:fs/promises';
import {inUnit} from '../figures.js';
import {cpuMs} from '../process.js';
import {certificateOf, end, runDaemon, temporary, thisBuild} from '../servers/start.js';
import {percentile} from '../statistics.js';
import {rotated} from '../turns.js';

const starts = 10;
const ms = inUnit('ms', 1);

/**
 * @typedef {{ms: number, cpuMs: number}} Cost time until the daemon is ready
 * @typedef {{first: Cost, later: Cost}} Start first start with a new data folder, and second start
 */

/**
 * Starts of a daemon with and without TLS, in turns: the first start creates certificates, later ones read them. On a busy
 * machine, CPU time is more reliable than elapsed time.
 * @type {import('../run.js').Bench}
 */
export async function tlsStart({runs, progress}) {
	/** @type {Record<'offer' | 'off', Start[]>} */
	const taken = {offer: [], off: []};
	for (let turn = 0; turn < runs * starts; turn++) {
		for (const mode of rotated(/** @type {const} */ (['offer', 'off']), turn)) {
			const start = await takeStart(mode);
			progress(`--tls ${mode}: ${ms(start.first.ms)}, then ${ms(start.later.ms)}`);
			taken[mode].push(start);
		}
	}

	return [...rowsOf('first', taken, 100), ...rowsOf('later', taken, 20)];
}

/**
 * @param {'offer' | 'off'} mode
 * @returns {Promise<Start>}
 */
async function takeStart(mode) {
	const home = await temporary('tls-start');
	try {
		return {first: await untilReady(home, mode), later: await untilReady(home, mode)};
	} finally {
		await rm(home, {recursive: true, force: true});
	}
}

/**
 * @param {string} home
 * @param {'offer' | 'off'} mode
 * @returns {Promise<Cost>}
 */
async function untilReady(home, mode) {
	const startedAt = performance.now();
	const {child, state} = await runDaemon(thisBuild.bin, home, '--tls', mode);
	const cost = {ms: performance.now() - startedAt, cpuMs: await cpuMs(state.pid)};
	if (mode === 'offer') {
		await certificateOf(state.data_dir);
	}

	await end(child);
	return cost;
}

/**
 * The cost that TLS adds: elapsed time of the faster starts, since other load only makes starts slower; and mean CPU time, which
 * the system counts in steps of 10 ms.
 * @param {keyof Start} which
 * @param {Record<'offer' | 'off', readonly Start[]>} taken
 * @param {number} atMost milliseconds
 * @returns {import('../run.js').Figure[]}
 */
function rowsOf(which, {offer, off}, atMost) {
	const fast = (/** @type {readonly Start[]} */ starts) =>
		percentile(
			starts.map(start => start[which].ms),
			0.25,
		);
	const cpu = (/** @type {readonly Start[]} */ starts) =>
		starts.reduce((sum, start) => sum + start[which].cpuMs, 0) / starts.length;
	const what = `${which} start, what TLS adds`;
	return [addedBy(what, fast(offer), fast(off), {goal: {atMost}}), addedBy(`${what}, CPU time`, cpu(offer), cpu(off))];
}

/**
 * @param {string} what
 * @param {number} ours
 * @param {number} theirs without TLS
 * @param {Pick<import('../run.js').Figure, 'goal'>} [goal]
 * @returns {import('../run.js').Figure}
 */
function addedBy(what, ours, theirs, goal) {
	return {what, tinbox: ms(ours - theirs), peer: `without ${ms(theirs)}`, value: ours - theirs, ...goal};
}
