import {expect, test} from 'vitest';
import {tempDir} from '../helpers/temp-dir.js';
import {buildCrashDaemon, startDaemon} from './daemons.js';
import {killLoop} from './kill-loop.js';
import {killAtSteps} from './kill-steps.js';

/** `npm run test:crash` does many more. */
const rounds = 6;

test('no kill -9 loses a mail that was answered with 250, or shows one twice', async () => {
	const home = await tempDir();
	const {acknowledged, deleted, ...faults} = await killLoop(() => startDaemon(home), rounds);
	expect(faults).toEqual({kills: rounds, missed: 0, lost: 0, duplicated: 0, resurrected: 0});
	expect(acknowledged).toBeGreaterThan(0);
});

test('nor does one at a step of commit, snapshot or reclaim', {timeout: 120_000}, async () => {
	const home = await tempDir();
	const moments = ['before datasync journal', 'after rename snapshots', 'before unlink journal'];
	const start = await buildCrashDaemon();
	const {acknowledged, deleted, ...faults} = await killLoop(() => start(home), moments.length, {
		kill: killAtSteps(moments),
	});
	expect(faults).toEqual({kills: moments.length, missed: 0, lost: 0, duplicated: 0, resurrected: 0});
	expect(acknowledged).toBeGreaterThan(0);
});

test('a daemon that answers before the write is found out by the same loop', async () => {
	const home = await tempDir();
	const start = await buildCrashDaemon();
	const {lost} = await killLoop(() => start(home, '--hasty'), rounds);
	expect(lost).toBeGreaterThan(0);
});
