import {expect, test} from 'vitest';
import {tempDir} from '../helpers/temp-dir.js';
import {startDaemon} from './daemons.js';
import {flags, webhookKills} from './webhook-kills.js';

/** `npm run test:crash` does many more. */
const rounds = 6;

test('no kill -9 makes the daemon forget to announce a mail, or announce it as two', async () => {
	const home = await tempDir();
	const {acknowledged, requests, repeated, ...faults} = await webhookKills(() => startDaemon(home, ...flags), rounds);
	expect(faults).toEqual({kills: rounds, forgotten: 0, doubled: 0, mixedUp: 0, changed: 0, unfinished: 0});
	expect(acknowledged).toBeGreaterThan(0);
	expect(requests).toBeGreaterThanOrEqual(acknowledged);
	expect(repeated).toBeGreaterThan(0);
});
