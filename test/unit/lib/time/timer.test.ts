import {expect, test} from 'vitest';
import {Timer} from '../../../../src/lib/time/timer.js';

const forever = 2 ** 31 - 1;

test('a ring ends the sleep', async () => {
	const timer = new Timer();
	const sleep = timer.sleep(forever);
	timer.wake();
	await sleep;
});

test('a ring while nobody sleeps ends the next sleep, and only that', async () => {
	const timer = new Timer();
	timer.wake();
	timer.wake();
	await timer.sleep(forever);
	const next = timer.sleep(forever).then(() => 'over');
	expect(await Promise.race([next, Promise.resolve('asleep')])).toBe('asleep');
	timer.wake();
	expect(await next).toBe('over');
});

test('without a ring the sleep ends with its time', async () => {
	await new Timer().sleep(1);
});
