import path from 'node:path';
import {copyKills, copyWithDeletion} from './copy-kills.js';
import {buildFaulty, startDaemon} from './daemons.js';
import {evictingKills} from './evicting-kills.js';
import {faultKills} from './fault-kills.js';
import {fillDisk, onSmallDisk} from './full-disk.js';
import {killLoop} from './kill-loop.js';
import {killAtSteps, moments} from './kill-steps.js';
import {pgFailover} from './pg-failover.js';
import {nodeKillsPerServerKill, pgKills} from './pg-kills.js';
import {sendingKills} from './sending-kills.js';
import {twoDaemons} from './two-daemons.js';
import {flags, webhookKills} from './webhook-kills.js';

/**
 * @typedef {(text: string) => void} Progress
 *
 * @typedef {object} Suite
 * @property {number} short rounds of a short run
 * @property {(kills: number) => number} long rounds of a full run with this number of kills
 * @property {(home: string, rounds: number, progress: Progress) => Promise<object>} run
 * @property {ReadonlyArray<(home: string, progress: Progress) => Promise<object>>} wrong runs on daemons with a defect; each is
 *   repeated with a new home until the defect is detected
 * @property {readonly string[]} problems counts that must be zero
 * @property {readonly string[]} [proofs] counts that must not be zero, because the run would prove nothing
 */

/** Kills per run on a faulty daemon, usually enough to detect it. */
const killsPerFaultyRun = 3;

const build = onlyOnce(() => buildFaulty('crash-daemon'));
const buildNode = onlyOnce(() => buildFaulty('crash-node'));

/** @type {Record<string, Suite>} */
export const suites = {
	'random-kills': {
		short: 6,
		long: kills => kills,
		run: (home, rounds, progress) => killLoop(() => startDaemon(home), rounds, {progress}),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return killLoop(() => start(home, '--early-reply'), killsPerFaultyRun, {progress});
			},
		],
		problems: ['lost', 'duplicated', 'resurrected'],
		proofs: ['acknowledged'],
	},
	'step-kills': {
		short: 6,
		long: kills => moments.length * Math.ceil(kills / 100),
		run: async (home, rounds, progress) => {
			const start = await build();
			const some = moments.filter((_, index) => index % Math.ceil(moments.length / rounds) === 0);
			const losses = await killLoop(() => start(home), rounds, {kill: killAtSteps(some), progress});
			return {moments: some.length, ...losses};
		},
		wrong: [
			async (home, progress) => {
				const start = await build();
				return killLoop(() => start(home, '--early-reply'), 10, {kill: killAtSteps(moments), progress});
			},
		],
		problems: ['missed', 'lost', 'duplicated', 'resurrected'],
		proofs: ['acknowledged'],
	},
	'webhook-kills': {
		short: 6,
		long: kills => Math.ceil(kills / 5),
		run: (home, rounds, progress) => webhookKills(() => startDaemon(home, ...flags), rounds, progress),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return webhookKills(() => start(home, '--early-reply'), killsPerFaultyRun, progress);
			},
		],
		problems: ['forgotten', 'doubled', 'mixedUp', 'changed', 'overlapping', 'crowded', 'unfinished'],
		proofs: ['acknowledged', 'repeated'],
	},
	'fault-kills': {
		short: 6,
		long: kills => Math.ceil(kills / 5),
		run: (home, rounds, progress) => faultKills(() => startDaemon(home), rounds, progress),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return faultKills(() => start(home, '--early-reply'), killsPerFaultyRun, progress);
			},
		],
		problems: ['unexpected', 'lost', 'kept', 'doubled', 'forgotten', 'undone'],
		proofs: ['acknowledged', 'refused', 'dropped', 'greylisted'],
	},
	'evicting-kills': {
		short: 6,
		long: kills => Math.ceil(kills / 5),
		run: (home, rounds, progress) => evictingKills(() => startDaemon(home), rounds, progress),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return evictingKills(() => start(home, '--early-reply'), killsPerFaultyRun, progress);
			},
		],
		problems: ['tooMany', 'tooFew', 'lost', 'duplicated', 'miscounted'],
		proofs: ['acknowledged', 'evicted'],
	},
	sending: {
		short: 6,
		long: kills => kills,
		run: (home, rounds, progress) => sendingKills(() => startDaemon(home), rounds, progress),
		wrong: ['--early-reply', '--no-receipts'].map(variant => async (home, progress) => {
			const start = await build();
			return sendingKills(() => start(home, variant), killsPerFaultyRun, progress);
		}),
		problems: ['lost', 'doubled', 'otherwise', 'refused'],
		proofs: ['acknowledged', 'repeated'],
	},
	'two-daemons': {
		short: 5,
		long: () => 100,
		run: (home, races, progress) =>
			twoDaemons(name => startDaemon(path.join(home, name), '--data-dir', path.join(home, 'data')), races, progress),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return twoDaemons(() => start(home, '--steal-lock'), 5, progress);
			},
		],
		problems: ['doubled', 'refused', 'unexplained'],
	},
	'pg-kills': {
		short: nodeKillsPerServerKill,
		long: kills => Math.ceil((kills * 3) / 5),
		run: (home, kills, progress) => pgKills(home, startDaemon, kills, progress),
		wrong: ['--early-reply', '--ownerless-leases'].map(variant => async (home, progress) => {
			const start = await buildNode();
			return pgKills(home, (home, ...flags) => start(home, variant, ...flags), nodeKillsPerServerKill, progress);
		}),
		problems: [
			'lost',
			'twice',
			'unfinished',
			'died',
			'hung',
			'stuck',
			'forgotten',
			'doubled',
			'mixedUp',
			'changed',
			'overlapping',
			'crowded',
		],
		proofs: ['acknowledged', 'serverKills', 'repeated'],
	},
	'pg-failover': {
		short: 1,
		long: kills => Math.ceil(kills / 50),
		run: (home, failovers, progress) => pgFailover(home, startDaemon, failovers, {progress}),
		// Acknowledges mails that are not replicated.
		wrong: [(home, progress) => pgFailover(home, startDaemon, 1, {isSynchronous: false, progress})],
		problems: ['lost', 'twice', 'misanswered', 'ended', 'stuck'],
		proofs: ['acknowledged', 'refused', 'waits'],
	},
	'full-disk': {
		short: 2,
		long: () => 20,
		run: (home, fills, progress) => onSmallDisk(home, () => fillDisk(() => startDaemon(home), fills, progress)),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return onSmallDisk(home, () => fillDisk(() => start(home, '--ignore-errors'), 2, progress));
			},
		],
		problems: ['misanswered', 'lost', 'unfound', 'undeletable', 'stuck', 'unstarted'],
	},
	'copy-kills': {
		short: 2000,
		long: () => 100_000,
		run: copyKills,
		wrong: [copyWithDeletion],
		problems: ['refused', 'missing', 'doubled', 'changed'],
		proofs: ['killed'],
	},
};

/**
 * @template T
 * @param {() => Promise<T>} work
 */
function onlyOnce(work) {
	/** @type {Promise<T> | undefined} */
	let result;
	return () => {
		result ??= work();
		return result;
	};
}
