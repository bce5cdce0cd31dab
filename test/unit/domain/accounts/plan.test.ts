import {describe, expect, test} from 'vitest';
import {limitReached, planLimits} from '../../../../src/domain/accounts/plan.js';

describe('plans', () => {
	test('each plan has the limits of the price list', () => {
		expect(planLimits).toEqual({
			free: {teams: 0, members: 0, keys: 1},
			starter: {teams: 1, members: 3, keys: 3},
			pro: {teams: 5, members: 10, keys: 10},
			business: {teams: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, keys: 50},
		});
	});

	test.each([
		{
			sentence: limitReached('free', 'teams'),
			expected: 'The free plan allows no teams. Ask the operator for a larger plan.',
		},
		{
			sentence: limitReached('free', 'keys'),
			expected: 'The free plan allows 1 API key. Ask the operator for a larger plan, or delete some first.',
		},
		{
			sentence: limitReached('starter', 'members'),
			expected:
				'The starter plan allows 3 team members, open invites included. Ask the operator for a larger plan, or delete some first.',
		},
	])('the message for a reached limit is: $expected', ({sentence, expected}) => {
		expect(sentence).toBe(expected);
	});
});
