import fc from 'fast-check';
import {expect, test} from 'vitest';
import {noneUnseen, withArrived, withoutSeen} from '../../../src/tui/state/unseen.js';

test('it counts and marks what came and was not looked at, in whatever order', () => {
	const ids = fc.array(fc.nat(500).map(String), {maxLength: 100}).map(some => [...new Set(some)]);
	fc.assert(
		fc.property(fc.array(fc.record({arrives: fc.boolean(), ids})), steps => {
			const expected = new Set<string>();
			let unseen = noneUnseen;
			for (const step of steps) {
				unseen = step.arrives ? withArrived(unseen, step.ids) : withoutSeen(unseen, step.ids);
				for (const id of step.ids) {
					expected[step.arrives ? 'add' : 'delete'](id);
				}
			}

			expect([...unseen.ids].sort()).toEqual([...expected].sort());
			expect(unseen.count).toBe(expected.size);
		}),
	);
});

test('of a mail storm it counts all, and marks the newest thousand', () => {
	const ids = Array.from({length: 5000}, (_, index) => String(index));
	const unseen = withArrived(noneUnseen, ids);
	expect(unseen.count).toBe(5000);
	expect([...unseen.ids]).toEqual(ids.slice(-1000));
	expect(withoutSeen(unseen, ['4999', '0'])).toMatchObject({count: 4999});
});
