import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Unseen, withSeen, withUnseen} from '../../../../src/ui/core/inboxes.js';
import {deleted, received} from '../tui/bodies.js';

const none: ReadonlyMap<string, Unseen> = new Map();
const receivedEvents = (ids: readonly string[]) => ids.map(id => received(id));

test('messages received are counted and marked as unseen in any order of events', () => {
	const ids = fc.array(fc.nat(500).map(String), {maxLength: 100}).map(some => [...new Set(some)]);
	fc.assert(
		fc.property(fc.array(fc.record({type: fc.constantFrom('received', 'deleted', 'seen'), ids})), steps => {
			const expected = new Set<string>();
			let unseen = none;
			for (const step of steps) {
				unseen =
					step.type === 'seen'
						? step.ids.reduce((before, id) => withSeen(before, 'in1', id), unseen)
						: withUnseen(unseen, step.type === 'received' ? receivedEvents(step.ids) : step.ids.map(id => deleted(id)));
				for (const id of step.ids) {
					expected[step.type === 'received' ? 'add' : 'delete'](id);
				}
			}

			const {ids: marked = new Set<string>(), count = 0} = unseen.get('in1') ?? {};
			expect([...marked].sort()).toEqual([...expected].sort());
			expect(count).toBe(expected.size);
		}),
	);
});

test('a burst of messages is counted completely, and the newest thousand are marked', () => {
	const ids = Array.from({length: 5000}, (_, index) => String(index));
	const unseen = withUnseen(none, receivedEvents(ids));
	expect(unseen.get('in1')?.count).toBe(5000);
	expect([...(unseen.get('in1')?.ids ?? [])]).toEqual(ids.slice(-1000));
	expect(withUnseen(unseen, [deleted('4999'), deleted('0')]).get('in1')?.count).toBe(4999);
});

test('messages received after an inbox was emptied are unseen', () => {
	const unseen = withUnseen(none, receivedEvents(['a', 'b', 'c']));
	const emptied = withUnseen(unseen, [{type: 'messages.deleted', inbox_id: 'in1', message_count: 1}]);
	expect(withUnseen(emptied, receivedEvents(['d'])).get('in1')?.count).toBe(2);
});

test('a deleted inbox has no unseen messages', () => {
	const unseen = withUnseen(none, receivedEvents(['a']));
	expect(withUnseen(unseen, [{type: 'inbox.deleted', inbox_id: 'in1'}])).toEqual(none);
});
