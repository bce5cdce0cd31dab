import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Timeline, type TimelineBlock} from '../../../src/store/json/state/timeline.js';
import {withTimeLimit} from '../../helpers/time-limit.js';

const idsOf = (parts: Iterable<TimelineBlock>) => [...parts].flatMap(part => part.newestFirst());

/** Number of added ids, and number of removed ids of each ten. */
const change = fc.record({come: fc.nat(700), go: fc.nat(10), time: fc.nat(3)});

test('a timeline returns the ids after a position, newest first, with bounds of their times', () => {
	fc.assert(
		fc.property(fc.array(change, {maxLength: 6}), fc.nat(2000), (changes, after) => {
			const timeline = new Timeline();
			let rows: {id: string; place: number; at: string}[] = [];
			let place = 0;
			for (const {come, go, time} of changes) {
				for (let count = 0; count < come; count++) {
					const row = {id: String(place).padStart(6, '0'), place: ++place, at: String(time)};
					timeline.add(row.id, row.place, row.at);
					rows.push(row);
				}

				for (const {id} of rows.filter(row => row.place % 10 < go)) {
					timeline.remove(id);
				}

				rows = rows.filter(row => row.place % 10 >= go);
			}

			const behind = rows.filter(row => row.place > after).reverse();
			expect(timeline.size).toBe(rows.length);
			expect(idsOf(timeline.blocks(after))).toEqual(behind.map(({id}) => id));
			for (const {length, earliest, latest, newestFirst} of timeline.blocks(after)) {
				const times = newestFirst().map(id => rows.find(row => row.id === id)?.at ?? '');
				expect(times).toHaveLength(length);
				expect(times.every(at => at >= earliest && at <= latest)).toBe(true);
			}

			// Also the position of a removed id.
			const id = String(after).padStart(6, '0');
			const before = rows.filter(row => row.id <= id).at(-1);
			expect(timeline.positionOf(id)).toBe(before?.place ?? 0);
		}),
	);
});

test('iterating over a changing timeline returns each remaining id once', () => {
	fc.assert(
		fc.property(fc.integer({min: 1, max: 2000}), fc.nat(2000), fc.nat(2000), (count, from, to) => {
			const timeline = new Timeline();
			const ids = Array.from({length: count}, (_, index) => `id ${index}`);
			for (const [index, id] of ids.entries()) {
				timeline.add(id, index + 1, '');
			}

			const read: string[] = [];
			for (const part of timeline.blocks()) {
				read.push(...part.newestFirst());
				for (const id of ids.slice(from, to)) {
					timeline.remove(id);
				}

				timeline.add(`new ${read.length}`, count + read.length, '');
			}

			const stayed = ids.filter((_, index) => index < from || index >= to).reverse();
			expect(new Set(read).size).toBe(read.length);
			expect(read.filter(id => stayed.includes(id))).toEqual(stayed);
			expect(read.every(id => ids.includes(id))).toBe(true);
		}),
		{numRuns: 30},
	);
});

test('skipping very many ids of a timeline and removing the oldest is cheap', () => {
	const timeline = new Timeline();
	const count = 200_000;
	for (let place = 1; place <= count; place++) {
		timeline.add(`id ${place}`, place, '');
	}

	const passed = withTimeLimit(() => {
		let length = 0;
		for (let turn = 0; turn < 2000; turn++) {
			length = 0;
			for (const part of timeline.blocks()) {
				length += part.length;
			}
		}

		for (let place = 1; place <= count; place++) {
			timeline.remove(`id ${place}`);
		}

		return length;
	});
	expect(passed).toBe(count);
	expect(timeline.size).toBe(0);
});
