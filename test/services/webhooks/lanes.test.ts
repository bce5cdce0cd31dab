import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Lanes} from '../../../src/services/webhooks/lanes.js';

test('an endpoint may have one attempt more for each that was acknowledged, up to four, and one after a failure', () => {
	const lanes = new Lanes();
	const widths = [true, true, true, false, true].map(acknowledged => {
		let width = 0;
		while (!lanes.full.has('e')) {
			lanes.enter('e');
			width += 1;
		}

		for (let left = width; left > 0; left -= 1) {
			lanes.leave('e', acknowledged);
		}

		return width;
	});
	expect(widths).toEqual([1, 2, 4, 4, 1]);
});

test('there is room for one more while 511 endpoints never answer', () => {
	const lanes = new Lanes();
	for (let count = 0; count < 511; count += 1) {
		lanes.enter(`e${count}`);
	}

	expect(lanes.free).toBe(1);
	lanes.enter('last');
	expect(lanes.free).toBe(0);
	lanes.leave('e0', false);
	expect(lanes.free).toBe(1);
});

test('whatever comes and goes, no endpoint passes its limit and all room comes back', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(9), fc.boolean()), {maxLength: 200}), steps => {
			const lanes = new Lanes();
			const underWay: string[] = [];
			for (const [number, kind, acknowledged] of steps) {
				const endpoint = `e${number}`;
				if (kind >= 6) {
					for (const id of underWay.splice(number, 1)) {
						lanes.leave(id, acknowledged);
					}
				} else if (!lanes.full.has(endpoint)) {
					lanes.enter(endpoint);
					underWay.push(endpoint);
				}

				expect(underWay.filter(id => id === endpoint).length).toBeLessThanOrEqual(4);
				expect(lanes.free).toBe(512 - underWay.length);
			}

			for (const id of underWay) {
				lanes.leave(id, false);
			}

			expect([lanes.free, lanes.full.size]).toEqual([512, 0]);
		}),
	);
});
