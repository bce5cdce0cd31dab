import path from 'node:path';
import {copyKills, copySpoilt} from './copy-kills.js';
import {buildWrong, startDaemon} from './daemons.js';
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
 * @property {number} short rounds that take seconds
 * @property {(kills: number) => number} long rounds when so many kills are asked for
 * @property {(home: string, rounds: number, progress: Progress) => Promise<object>} run
 * @property {ReadonlyArray<(home: string, progress: Progress) => Promise<object>>} wrong on daemons that are wrong on purpose;
 *   each is run again, over nothing, until it is found out
 * @property {readonly string[]} problems the counts that must be zero
 * @property {readonly string[]} [proofs] the counts that must not, for nothing would be shown
 */

/** Mostly enough to find a daemon out. */
const killsAtOnce = 3;

const build = onlyOnce(() => buildWrong('crash-daemon'));
const buildNode = onlyOnce(() => buildWrong('crash-node'));

/** @type {Record<string, Suite>} */
export const suites = {
	'random-kills': {
		short: 6,
		long: kills => kills,
		run: (home, rounds, progress) => killLoop(() => startDaemon(home), rounds, {progress}),
		wrong: [
			async (home, progress) => {
				const start = await build();
				return killLoop(() => start(home, '--hasty'), killsAtOnce, {progress});
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
				return killLoop(() => start(home, '--hasty'), 10, {kill: killAtSteps(moments), progress});
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
				return webhookKills(() => start(home, '--hasty'), killsAtOnce, progress);
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
				return faultKills(() => start(home, '--hasty'), killsAtOnce, progress);
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
				return evictingKills(() => start(home, '--hasty'), killsAtOnce, progress);
			},
		],
		problems: ['tooMany', 'tooFew', 'lost', 'duplicated', 'miscounted'],
		proofs: ['acknowledged', 'evicted'],
	},
	sending: {
		short: 6,
		long: kills => kills,
		run: (home, rounds, progress) => sendingKills(() => startDaemon(home), rounds, progress),
		// One answers before the commit, the other forgets what it answered.
		wrong: ['--hasty', '--forgetful'].map(variant => async (home, progress) => {
			const start = await build();
			return sendingKills(() => start(home, variant), killsAtOnce, progress);
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
				return twoDaemons(() => start(home, '--impatient'), 5, progress);
			},
		],
		problems: ['doubled', 'refused', 'unexplained'],
	},
	'pg-kills': {
		short: nodeKillsPerServerKill,
		long: kills => Math.ceil((kills * 3) / 5),
		run: (home, kills, progress) => pgKills(home, startDaemon, kills, progress),
		wrong: ['--hasty', '--nameless'].map(variant => async (home, progress) => {
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
		// Acknowledges what the standby does not have yet.
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
				return onSmallDisk(home, () => fillDisk(() => start(home, '--trusting'), 2, progress));
			},
		],
		problems: ['misanswered', 'lost', 'unfound', 'undeletable', 'stuck', 'unstarted'],
	},
	'copy-kills': {
		short: 2000,
		long: () => 100_000,
		run: copyKills,
		wrong: [copySpoilt],
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
