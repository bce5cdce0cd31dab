import fc from 'fast-check';
import {expect, test, vi} from 'vitest';
import {Lanes, type Leave} from '../../src/services/lanes.js';

const until = (condition: () => void) => vi.waitFor(condition, {timeout: 10_000, interval: 5});

test('an endpoint may have one attempt more for each that was acknowledged, up to four, and one after a failure', () => {
	const lanes = new Lanes(() => {});
	const widths = [true, true, true, false, true].map(acknowledged => {
		const leaves: Leave[] = [];
		while (!lanes.full.has('e')) {
			leaves.push(lanes.enter('e'));
		}

		for (const leave of leaves) {
			leave(acknowledged);
		}

		return leaves.length;
	});
	expect(widths).toEqual([1, 2, 4, 4, 1]);
});

test('attempts that are not answered for long make room for others, until there are 512', async () => {
	let rung = 0;
	const lanes = new Lanes(() => {
		rung += 1;
	});
	const leaves: Leave[] = [];
	while (leaves.length < 512) {
		expect(lanes.free).toBe(64);
		for (let count = 0; count < 64; count += 1) {
			leaves.push(lanes.enter(`e${leaves.length}`));
		}

		expect(lanes.free).toBe(0);
		const before = rung;
		await until(() => expect(rung - before).toBe(64));
	}

	expect(lanes.free).toBe(0);
	leaves[0]?.(false);
	expect(lanes.free).toBe(1);
	for (const leave of leaves.slice(1)) {
		leave(false);
	}

	expect(lanes.free).toBe(64);
});

test('whatever comes and goes, no endpoint passes its limit and all room comes back', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(9), fc.boolean()), {maxLength: 200}), steps => {
			const lanes = new Lanes(() => {});
			const underWay: {endpoint: string; leave: Leave}[] = [];
			const countOf = (endpoint: string) => underWay.filter(each => each.endpoint === endpoint).length;
			for (const [number, kind, acknowledged] of steps) {
				const endpoint = `e${number}`;
				if (kind < 6) {
					if (!lanes.full.has(endpoint) && lanes.free > 0) {
						underWay.push({endpoint, leave: lanes.enter(endpoint)});
					}
				} else {
					underWay.splice(number, 1)[0]?.leave(acknowledged);
				}

				expect(countOf(endpoint)).toBeLessThanOrEqual(4);
				expect(lanes.free).toBe(64 - underWay.length);
			}

			for (const {leave} of underWay) {
				leave(false);
			}

			expect([lanes.free, lanes.full.size]).toEqual([64, 0]);
		}),
	);
});
