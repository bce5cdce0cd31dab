import fc from 'fast-check';
import {expect, test} from 'vitest';
import {GroupedTimeIndex, mergeLatestFirst} from '../../../src/store/json/state/indexes.js';
import {withTimeLimit} from '../../helpers/time-limit.js';
import {at} from './rows.js';

type Row = {readonly id: string; readonly createdAt: string; readonly group: string | null};

const rowArbitrary = fc.record({
	id: fc.constantFrom(...'abcdefghij'),
	createdAt: fc.nat(3).map(at),
	group: fc.constantFrom('x', 'y', 'z', null),
});

function latestFirst(one: Row, other: Row): number {
	return one.createdAt + one.id < other.createdAt + other.id ? 1 : -1;
}

test('a grouped time index is sorted by age after any changes, and several groups merge in order', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(rowArbitrary, fc.boolean())), fc.nat(4), (changes, skip) => {
			const index = new GroupedTimeIndex<Row>(
				({group}) => group,
				({createdAt}) => createdAt,
			);
			const rows = new Map<string, Row>();
			for (const [row, stays] of changes) {
				const before = rows.get(row.id);
				// When a row was created never changes.
				const after = stays ? {...row, createdAt: before?.createdAt ?? row.createdAt} : undefined;
				index.update(before, after);
				rows.delete(row.id);
				if (after) {
					rows.set(row.id, after);
				}
			}

			const all = [...rows.values()].filter(({group}) => group !== null).sort(latestFirst);
			for (const group of ['x', 'y', 'z']) {
				const ids = all.filter(row => row.group === group).map(({id}) => id);
				expect(index.sizeOf(group)).toBe(ids.length);
				expect([...index.newestFirst(group, skip)]).toEqual(ids.slice(skip));
			}

			const lists = ['x', 'y', 'x', 'z', 'nothing'].map(group => index.entries(group));
			expect([...mergeLatestFirst(lists)]).toEqual(all.map(({id}) => id));
		}),
	);
});

test('a page of a large grouped index costs no more than one of a small index', () => {
	const index = new GroupedTimeIndex<Row>(
		({group}) => group,
		({createdAt}) => createdAt,
	);
	for (let second = 0; second < 50_000; second++) {
		index.update(undefined, {id: `id ${second}`, createdAt: at(second), group: second % 2 === 0 ? 'x' : 'y'});
	}

	const newest = withTimeLimit(() => {
		let first: string | undefined;
		for (let page = 0; page < 20_000; page++) {
			[first] = mergeLatestFirst([index.entries('x'), index.entries('y')]);
			[first] = index.newestFirst('y', 20_000);
		}

		return first;
	});
	expect(newest).toBe('id 9999');
});
