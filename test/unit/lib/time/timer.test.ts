import {expect, test} from 'vitest';
import {Timer} from '../../../../src/lib/time/timer.js';

const forever = 2 ** 31 - 1;

test('waking a timer ends its sleep', async () => {
	const timer = new Timer();
	const sleep = timer.sleep(forever);
	timer.wake();
	await sleep;
});

test('waking an idle timer ends the next sleep only', async () => {
	const timer = new Timer();
	timer.wake();
	timer.wake();
	await timer.sleep(forever);
	const next = timer.sleep(forever).then(() => 'over');
	expect(await Promise.race([next, Promise.resolve('asleep')])).toBe('asleep');
	timer.wake();
	expect(await next).toBe('over');
});

test('a sleep that is not woken ends after its time', async () => {
	await new Timer().sleep(1);
});
