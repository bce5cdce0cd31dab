/** Returns an integer from 0 to `limit` - 1. @typedef {(limit: number) => number} Random */

/**
 * A deterministic random generator (mulberry32).
 * @param {number} seed
 * @returns {Random}
 */
export function randomBelow(seed) {
	let state = seed;
	return limit => {
		state = (state + 0x6d2b79f5) | 0;
		let value = Math.imul(state ^ (state >>> 15), 1 | state);
		value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
		return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * limit);
	};
}

/**
 * @template T
 * @param {Random} random
 * @param {readonly T[]} list
 */
export function pick(random, list) {
	return /** @type {T} */ (list[random(list.length)]);
}
