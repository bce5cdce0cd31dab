import {expect, test, vi} from 'vitest';
import {startInTime} from '../../src/daemon/run.js';
import {StoreError} from '../../src/lib/errors.js';

test('a start that never ends is given up, and what hangs is ended', async () => {
	const end = vi.fn();
	await expect(startInTime(new Promise(() => {}), 20, end)).rejects.toThrow(StoreError);
	expect(end).toHaveBeenCalledOnce();
});

test.each([
	{name: 'one that is done', start: async () => 'started'},
	{
		name: 'one that fails',
		start: async () => {
			throw new Error('no port');
		},
	},
])('$name is told as it is', async ({start}) => {
	const end = vi.fn();
	const told = startInTime(start(), 60_000, end).catch(error => error.message);
	expect(await told).toBe(await start().catch(error => error.message));
	expect(end).not.toHaveBeenCalled();
});
