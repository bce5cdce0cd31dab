import {rm} from 'node:fs/promises';
import {inUnit} from '../figures.js';
import {end, runDaemon, temporary, thisBuild} from '../servers/start.js';
import {median} from '../statistics.js';
import {rotated} from '../turns.js';

const starts = 10;
const ms = inUnit('ms', 1);

/** @typedef {{first: number, later: number}} Start milliseconds until a daemon is ready, in a new data directory and in that again */

/**
 * Starts of a daemon with TLS beside those without: the first one issues certificates, later ones read them.
 * @type {import('../run.js').Bench}
 */
export async function tlsStart({runs, progress}) {
	/** @type {Record<'offer' | 'off', Start[]>} */
	const taken = {offer: [], off: []};
	for (let turn = 0; turn < runs * starts; turn++) {
		for (const mode of rotated(/** @type {const} */ (['offer', 'off']), turn)) {
			const start = await takeStart('--tls', mode);
			progress(`--tls ${mode}: ${ms(start.first)}, then ${ms(start.later)}`);
			taken[mode].push(start);
		}
	}

	return [rowOf('first', taken.offer, taken.off, 100), rowOf('later', taken.offer, taken.off, 20)];
}

/**
 * @param {readonly string[]} flags
 * @returns {Promise<Start>}
 */
async function takeStart(...flags) {
	const home = await temporary('tls-start');
	try {
		return {first: await untilReady(home, flags), later: await untilReady(home, flags)};
	} finally {
		await rm(home, {recursive: true, force: true});
	}
}

/**
 * @param {string} home
 * @param {readonly string[]} flags
 */
async function untilReady(home, flags) {
	const startedAt = performance.now();
	const {child} = await runDaemon(thisBuild.bin, home, ...flags);
	const time = performance.now() - startedAt;
	await end(child);
	return time;
}

/**
 * The goal is for what TLS adds.
 * @param {keyof Start} which
 * @param {readonly Start[]} withTls
 * @param {readonly Start[]} without
 * @param {number} atMost milliseconds
 * @returns {import('../run.js').Figure}
 */
function rowOf(which, withTls, without, atMost) {
	const [ours, theirs] = [withTls, without].map(starts => median(starts.map(start => start[which])));
	const value = (ours ?? Number.NaN) - (theirs ?? Number.NaN);
	return {
		what: `${which} start, what TLS adds`,
		tinbox: ms(value),
		peer: `without ${ms(theirs ?? Number.NaN)}`,
		value,
		goal: {atMost},
	};
}
