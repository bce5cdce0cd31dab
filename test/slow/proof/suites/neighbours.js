import {setTimeout as sleep} from 'node:timers/promises';
import {Attack} from '../neighbours/attack.js';
import {Neighbour} from '../neighbours/neighbour.js';
import {watchProcessors} from '../neighbours/processors.js';
import {things} from '../neighbours/things.js';

/**
 * Milliseconds on two processors, whatever somebody else does: until a neighbour is answered, until a webhook tells of a
 * mail, and for which the event loop is held. The worst of all times counts, since one that waits is one too many.
 * @type {Record<string, number>}
 */
const bounds = {health: 250, list: 250, read: 250, smtp: 250, wait: 250, webhook: 2000, held: 250};

/**
 * What the daemon may have more of at any time than before: the four threads that read mail may fill 664 MB by their
 * limits, and the rest is for answers on their way. And what may be left: threads keep a part of their heaps for the next
 * mail, and the allocator of the system a part of what was freed, but neither grows with every storm.
 */
const fairMegabytes = {during: 800, after: 400};

/** How long a thing may take to begin, what it left to be done, and memory to be given back. */
const patienceMs = {begin: 60_000, finish: 30_000, giveBack: 60_000};

/**
 * Somebody does the worst, one thing after another, while somebody else works as usual and measures.
 *
 * What is slow by nature is so at every try, and what is slow by a disturbance from outside is not: a thing holds
 * others up when it does so at each of some tries. Nothing else gets a second try.
 * @param {import('../start.js').Proven} daemon
 * @param {{seconds?: number, only?: readonly string[], tries?: number, progress?: (text: string) => void}} options
 */
export async function disturb(daemon, {seconds = 1, only = Object.keys(things), tries = 3, progress = () => {}} = {}) {
	const neighbour = await Neighbour.of(daemon);
	const {residentMegabytes: before} = await daemon.report();
	const counts = {things: 0, late: 0, lateIn: '', failed: 0, failedIn: '', lost: 0, unbegun: 0, errors: 0};
	let peak = 0;
	for (const name of only) {
		counts.things++;
		let late = '';
		for (let turn = 0; turn < tries && (turn === 0 || late !== ''); turn++) {
			const seen = await during(daemon, neighbour, name, seconds);
			late = Object.entries(seen.times)
				.filter(([kind, ms]) => ms > (bounds[kind] ?? 0))
				.map(([kind, ms]) => `${kind} ${ms} ms`)
				.join(', ');
			counts.failed += seen.failures.length;
			counts.failedIn += seen.failures.map(failure => `[${name}: ${failure}]`).join('');
			counts.lost += seen.lost;
			counts.unbegun += seen.isUnderWay ? 0 : 1;
			counts.errors += seen.errors.length;
			peak = seen.peakMegabytes;
			progress(`${name}${late && ' is late'}: ${JSON.stringify(seen)}`);
		}

		counts.late += late ? 1 : 0;
		counts.lateIn += late && `[${name}: ${late}]`;
	}

	neighbour.close();
	const kept = await keptMegabytes(daemon, before);
	return {
		...counts,
		peakMegabytes: Math.round(peak),
		tooManyMegabytes: Math.round(Math.max(0, peak - before - fairMegabytes.during)),
		keptMegabytes: Math.round(Math.max(0, kept - fairMegabytes.after)),
	};
}

/**
 * What the neighbour saw, from before the thing begins until all that is the attacker's is deleted. The times are those
 * of a machine with two processors for us: where other programs leave fewer, all takes longer for no reason of ours.
 * @param {import('../start.js').Proven} daemon
 * @param {Neighbour} neighbour
 * @param {string} name
 * @param {number} seconds that it goes on
 */
async function during(daemon, neighbour, name, seconds) {
	await untilIdle(daemon);
	const attack = await Attack.of(daemon, name);
	const before = await daemon.look();
	const own = process.cpuUsage();
	let {processorMs} = before;
	const processors = watchProcessors(() => {
		const {user, system} = process.cpuUsage(own);
		return processorMs + attack.processorMs() + (user + system) / 1000;
	});
	const beginning = attack.underWay.then(
		() => true,
		() => false,
	);
	let isUnderWay = false;
	const attacked = async () => {
		// One that is held up as it begins does its worst all the same.
		isUnderWay = await Promise.race([beginning, sleep(patienceMs.begin, true, {ref: false})]);
		await sleep(seconds * 1000);
		await attack.end();
	};
	const {longest, failures, lost} = await neighbour.work(attacked());
	const {longestMs, ...report} = await daemon.look();
	processorMs = report.processorMs;
	const share = Math.min(2, processors()) / 2;
	const times = Object.fromEntries(Object.entries(longest).map(([kind, ms]) => [kind, Math.round(ms * share)]));
	const {errors, peakMegabytes} = report;
	return {
		times: {...times, held: Math.round(longestMs)},
		...{share: Math.round(share * 100) / 100, failures, lost, isUnderWay, errors, peakMegabytes},
	};
}

/**
 * Waits until nothing of what the last one asked for is left to be done: it is one user at a time who does the worst.
 * @param {import('../start.js').Proven} daemon
 */
async function untilIdle(daemon) {
	const deadline = performance.now() + patienceMs.finish;
	for (let isIdle = false; !isIdle && performance.now() < deadline; ) {
		const {processorMs} = await daemon.look();
		await sleep(100);
		isIdle = (await daemon.look()).processorMs - processorMs < 30;
	}
}

/**
 * What the daemon has more than before, once it had time to give memory back by itself.
 * @param {import('../start.js').Proven} daemon
 * @param {number} before
 */
async function keptMegabytes(daemon, before) {
	const deadline = performance.now() + patienceMs.giveBack;
	for (;;) {
		const kept = (await daemon.look()).residentMegabytes - before;
		if (kept < fairMegabytes.after || performance.now() > deadline) {
			return kept;
		}

		await sleep(200);
	}
}
