import {expect, test} from 'vitest';
import {Alarm} from '../../../../src/lib/time/timer.js';

const forever = 2 ** 31 - 1;

test('a ring ends the sleep', async () => {
	const alarm = new Alarm();
	const sleep = alarm.sleep(forever);
	alarm.ring();
	await sleep;
});

test('a ring while nobody sleeps ends the next sleep, and only that', async () => {
	const alarm = new Alarm();
	alarm.ring();
	alarm.ring();
	await alarm.sleep(forever);
	const next = alarm.sleep(forever).then(() => 'over');
	expect(await Promise.race([next, Promise.resolve('asleep')])).toBe('asleep');
	alarm.ring();
	expect(await next).toBe('over');
});

test('without a ring the sleep ends with its time', async () => {
	await new Alarm().sleep(1);
});
