import {expect, test} from 'vitest';
import {clockTime} from '../../../../src/ui/core/format.js';

test('a list shows the time of day for today and the day for older items', () => {
	const now = new Date(2026, 10, 20, 12, 0, 0);
	expect(clockTime(new Date(2026, 10, 20, 9, 5, 7).toISOString(), now)).toBe('09:05:07');
	expect(clockTime(new Date(2026, 10, 3, 9, 5, 7).toISOString(), now)).toBe('Nov 03');
	expect(clockTime(new Date(2025, 0, 31).toISOString(), now)).toBe('Jan 31 25');
});
