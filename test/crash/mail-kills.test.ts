import {expect, test} from 'vitest';
import {tempDir} from '../helpers/temp-dir.js';
import {buildHastyDaemon, startDaemon} from './daemons.js';
import {killLoop} from './kill-loop.js';

/** `npm run test:crash` does many more. */
const rounds = 6;

test('no kill -9 loses a mail that was answered with 250, or shows one twice', async () => {
	const home = await tempDir();
	const {kills, acknowledged, lost, duplicated} = await killLoop(() => startDaemon(home), rounds);
	expect({kills, lost, duplicated}).toEqual({kills: rounds, lost: 0, duplicated: 0});
	expect(acknowledged).toBeGreaterThan(0);
});

test('a daemon that answers before the write is found out by the same loop', async () => {
	const home = await tempDir();
	const startHastyDaemon = await buildHastyDaemon();
	const {lost} = await killLoop(() => startHastyDaemon(home), rounds);
	expect(lost).toBeGreaterThan(0);
});
