import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Lanes} from '../../../../src/services/webhooks/delivery.js';

test('an endpoint may have one attempt more for each that was acknowledged, up to four, and one after a failure', () => {
	const lanes = new Lanes();
	const widths = [true, true, true, false, true].map(acknowledged => {
		let width = 0;
		while (lanes.room('e') > 0) {
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
				} else if (lanes.room(endpoint) > 0) {
					lanes.enter(endpoint);
					underWay.push(endpoint);
				}

				const own = underWay.filter(id => id === endpoint).length;
				expect(own).toBeLessThanOrEqual(4);
				expect(lanes.isCrowded(endpoint)).toBe(own === 4);
			}

			for (const id of underWay) {
				lanes.leave(id, false);
			}

			expect(['e0', 'e1', 'e2', 'e3'].some(id => lanes.room(id) === 0)).toBe(false);
		}),
	);
});

test('whoever waits for a crowded endpoint is told when one of its attempts is over', async () => {
	const lanes = new Lanes();
	for (let count = 0; count < 4; count += 1) {
		lanes.enter('e');
	}

	const told = [lanes.oneLess('e'), lanes.oneLess('e')];
	lanes.leave('e', false);
	await Promise.all(told);
	expect(lanes.isCrowded('e')).toBe(false);
});
