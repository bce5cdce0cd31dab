import path from 'node:path';
import {buildCrashDaemon, startDaemon} from './daemons.js';
import {fillDisk, onSmallDisk} from './full-disk.js';
import {killLoop} from './kill-loop.js';
import {killAtSteps, moments} from './kill-steps.js';
import {twoDaemons} from './two-daemons.js';
import {flags, webhookKills} from './webhook-kills.js';

/**
 * @typedef {(text: string) => void} Progress
 *
 * @typedef {object} Suite
 * @property {(home: string, kills: number, progress: Progress) => Promise<object>} run with a share of the kills
 * @property {(home: string, progress: Progress) => Promise<object>} wrong on a daemon that is wrong on purpose
 * @property {readonly string[]} faults the counts that must be zero
 */

const build = onlyOnce(buildCrashDaemon);

/** @type {Record<string, Suite>} */
export const suites = {
	'random-kills': {
		run: (home, kills, progress) => killLoop(() => startDaemon(home), kills, {progress}),
		wrong: async (home, progress) => {
			const start = await build();
			return killLoop(() => start(home, '--hasty'), 10, {progress});
		},
		faults: ['lost', 'duplicated', 'resurrected'],
	},
	'step-kills': {
		run: async (home, kills, progress) => {
			const start = await build();
			const rounds = moments.length * Math.ceil(kills / 100);
			const losses = await killLoop(() => start(home), rounds, {kill: killAtSteps(moments), progress});
			return {moments: moments.length, ...losses};
		},
		wrong: async (home, progress) => {
			const start = await build();
			return killLoop(() => start(home, '--hasty'), 10, {kill: killAtSteps(moments), progress});
		},
		faults: ['missed', 'lost', 'duplicated', 'resurrected'],
	},
	'webhook-kills': {
		run: (home, kills, progress) => webhookKills(() => startDaemon(home, ...flags), Math.ceil(kills / 5), progress),
		wrong: async (home, progress) => {
			const start = await build();
			return webhookKills(() => start(home, '--hasty'), 10, progress);
		},
		faults: ['forgotten', 'doubled', 'mixedUp', 'changed', 'unfinished'],
	},
	'two-daemons': {
		run: (home, _kills, progress) =>
			twoDaemons(name => startDaemon(path.join(home, name), '--data-dir', path.join(home, 'data')), 100, progress),
		wrong: async (home, progress) => {
			const start = await build();
			return twoDaemons(() => start(home, '--impatient'), 5, progress);
		},
		faults: ['doubled', 'refused', 'unexplained'],
	},
	'full-disk': {
		run: (home, _kills, progress) => onSmallDisk(home, () => fillDisk(() => startDaemon(home), 20, progress)),
		wrong: async (home, progress) => {
			const start = await build();
			return onSmallDisk(home, () => fillDisk(() => start(home, '--trusting'), 2, progress));
		},
		faults: ['misanswered', 'lost', 'undeletable', 'stuck', 'unstarted'],
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
