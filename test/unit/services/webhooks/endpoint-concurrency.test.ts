import fc from 'fast-check';
import {expect, test} from 'vitest';
import {EndpointConcurrency} from '../../../../src/services/webhooks/dispatcher.js';

test('each acknowledged attempt raises the concurrency of an endpoint by one up to four, and a failure resets it to one', () => {
	const concurrency = new EndpointConcurrency();
	const widths = [true, true, true, false, true].map(acknowledged => {
		let width = 0;
		while (concurrency.capacity('e') > 0) {
			concurrency.start('e');
			width += 1;
		}

		for (let left = width; left > 0; left -= 1) {
			concurrency.end('e', acknowledged);
		}

		return width;
	});
	expect(widths).toEqual([1, 2, 4, 4, 1]);
});

test('in any order of attempts no endpoint exceeds four at a time, and ended attempts free their slots', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(9), fc.boolean()), {maxLength: 200}), steps => {
			const concurrency = new EndpointConcurrency();
			const running: string[] = [];
			for (const [number, kind, acknowledged] of steps) {
				const endpoint = `e${number}`;
				if (kind >= 6) {
					for (const id of running.splice(number, 1)) {
						concurrency.end(id, acknowledged);
					}
				} else if (concurrency.capacity(endpoint) > 0) {
					concurrency.start(endpoint);
					running.push(endpoint);
				}

				expect(running.filter(id => id === endpoint).length).toBeLessThanOrEqual(4);
			}

			for (const id of running) {
				concurrency.end(id, false);
			}

			expect(['e0', 'e1', 'e2', 'e3'].some(id => concurrency.capacity(id) === 0)).toBe(false);
		}),
	);
});
