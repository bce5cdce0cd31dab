/**
 * The items, each round beginning with another one: what comes first or last in a round is then not always the same.
 * @template T
 * @param {readonly T[]} items
 * @param {number} round
 */
export function rotated(items, round) {
	const first = round % items.length;
	return [...items.slice(first), ...items.slice(0, first)];
}
