/**
 * The items rotated by the number of the round, so that each one is first and last equally often.
 * @template T
 * @param {readonly T[]} items
 * @param {number} round
 */
export function rotated(items, round) {
	const first = round % items.length;
	return [...items.slice(first), ...items.slice(0, first)];
}
