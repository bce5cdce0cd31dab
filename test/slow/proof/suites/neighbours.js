import {setTimeout as sleep} from 'node:timers/promises';
import {Attack} from '../neighbours/attack.js';
import {attacks, costAttackNames} from '../neighbours/attacks.js';
import {Neighbour} from '../neighbours/neighbour.js';
import {watchProcessors} from '../neighbours/processors.js';

/**
 * Maximum times on two processors in milliseconds: responses, webhooks, and blocked event loop (`held`). `anyKey` has the address
 * of the attacker, and takes turns with its keys.
 * @type {Record<string, number>}
 */
const bounds = {
	...{health: 250, list: 250, read: 250, create: 250, send: 250, smtp: 250, wait: 250, held: 250},
	...{anyKey: 2500, webhook: 2000},
};

/**
 * Maximum additional memory. `during` an attack: the limits of the four parser threads are 664 MB, the rest is for pending
 * responses. `after` it: threads keep part of their heaps, and the system allocator part of the freed memory.
 */
const maxMegabytes = {during: 800, after: 400};

/** Names of the attacks that cause no more work than their own requests. */
const usualAttacks = Object.keys(attacks).filter(name => !costAttackNames.includes(name));

/** Timeouts for the start of an attack, the remaining work after it, and the release of memory. */
const patienceMs = {begin: 60_000, finish: 30_000, giveBack: 60_000};

/**
 * Maximum memory with attacks that cause much work: in megabytes at any time, and as a multiple of the memory before them, a minute
 * after the last.
 */
const costLimits = {peakMegabytes: 600, kept: 1.3, waitMs: 60_000};

/** Factor of the intervals of the normal user beside many attackers, so that the user asks for less than a fair share. */
const shareFactor = 5;

/** All attacks of `costAttackNames` by different users at the same time. */
const allAtOnce = costAttackNames.join(' + ');

/**
 * Runs the attacks that cause much work with small requests, one by one and then all at once.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {Parameters<typeof runAttacks>[1] & {waits?: boolean}} options `waits`: measures the memory a minute later
 */
export async function runCostAttacks(daemon, {waits = true, only = [...costAttackNames, allAtOnce], ...options} = {}) {
	const {residentMegabytes: before} = await daemon.report();
	const counts = await runAttacks(daemon, {...options, only});
	if (waits) {
		await sleep(costLimits.waitMs);
	}

	const {residentMegabytes: after, peakMegabytes} = await daemon.look();
	return {
		...counts,
		peakMegabytes: Math.round(peakMegabytes),
		tooManyMegabytes: Math.round(Math.max(0, peakMegabytes - costLimits.peakMegabytes)),
		beforeMegabytes: Math.round(before),
		afterMegabytes: Math.round(after),
		keptMegabytes: waits ? Math.round(Math.max(0, after - before * costLimits.kept)) : 0,
	};
}

/**
 * Runs all attacks one by one while a normal user works and measures response times.
 *
 * Only an attack that delays the user at every try counts as a problem, since single delays can come from other programs.
 * Other problems count at once.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{seconds?: number, only?: readonly string[], tries?: number, progress?: (text: string) => void}} options
 */
export async function runAttacks(daemon, {seconds = 1, only = usualAttacks, tries = 3, progress = () => {}} = {}) {
	const neighbour = await Neighbour.of(daemon);
	const {residentMegabytes: before} = await daemon.report();
	const counts = {attacks: 0, late: 0, lateIn: '', failed: 0, failedIn: '', lost: 0, notStarted: 0, errors: 0};
	let peak = 0;
	for (const name of only) {
		counts.attacks++;
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
			counts.notStarted += seen.isUnderWay ? 0 : 1;
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
		tooManyMegabytes: Math.round(Math.max(0, peak - before - maxMegabytes.during)),
		keptMegabytes: Math.round(Math.max(0, kept - maxMegabytes.after)),
	};
}

/**
 * Measures one attack, from before its start until its user is deleted. Times are scaled to a machine with two free
 * processors.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {Neighbour} neighbour
 * @param {string} name of an attack, or names joined by ` + `
 * @param {number} seconds duration of the attack
 */
async function during(daemon, neighbour, name, seconds) {
	await untilIdle(daemon);
	const running = await Promise.all(name.split(' + ').map(one => Attack.of(daemon, one, neighbour.address)));
	const before = await daemon.look();
	const own = process.cpuUsage();
	let {processorMs} = before;
	const processors = watchProcessors(() => {
		const {user, system} = process.cpuUsage(own);
		return processorMs + running.reduce((sum, attack) => sum + attack.processorMs(), 0) + (user + system) / 1000;
	});
	const beginning = Promise.all(running.map(attack => attack.underWay)).then(
		() => true,
		() => false,
	);
	let isUnderWay = false;
	const attacked = async () => {
		// An attack that is delayed at its start still has an effect.
		isUnderWay = await Promise.race([beginning, sleep(patienceMs.begin, true, {ref: false})]);
		await sleep(seconds * 1000);
		await Promise.all(running.map(attack => attack.end()));
	};
	const {longest, failures, lost} = await neighbour.work(attacked(), running.length > 1 ? shareFactor : 1);
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
 * Waits until the daemon has finished the work of the previous attack.
 * @param {import('../start.js').TestDaemon} daemon
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
 * Additional memory after the daemon had time to release it.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {number} before
 */
async function keptMegabytes(daemon, before) {
	const deadline = performance.now() + patienceMs.giveBack;
	for (;;) {
		const kept = (await daemon.look()).residentMegabytes - before;
		if (kept < maxMegabytes.after || performance.now() > deadline) {
			return kept;
		}

		await sleep(200);
	}
}
