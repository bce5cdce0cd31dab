import {expect, test} from 'vitest';
import {describeFault} from '../../../src/client/faults.js';
import type {CreateFault} from '../../../src/contract/faults.js';

test.each<[CreateFault, string]>([
	[{stage: 'rcpt', reply: '451 4.7.1 Later', times: 1, per: 'recipient'}, '451 4.7.1 Later; once per recipient'],
	[{stage: 'rcpt', rate: {count: 10, seconds: 60}}, 'rejected; if more than 10 in 1m'],
	[{stage: 'end', reply: '451', after: 2, times: 3}, '451; after the first 2; 3 times'],
	[{stage: 'rcpt', delay_ms: 5000, byte_delay_ms: 200}, 'delayed by 5s; one byte every 200ms'],
	[
		{stage: 'end', drop: 'after_commit', match: {subject: '/a/', user: 'b'}},
		'kept, then dropped without a reply; if subject matches "/a/" and SMTP user matches "b"',
	],
	[
		{stage: 'data', drop: 'mid', probability: 0.5, after: 1, per: 'message'},
		'dropped in the middle; after the first one; per message; with probability 0.5',
	],
])('the fault %o is described as "%s"', (fault, description) => {
	expect(describeFault(fault)).toBe(description);
});
