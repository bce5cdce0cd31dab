/**
 * @param {readonly number[]} values
 * @param {number} share from 0 to 1
 */
export function percentile(values, share) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** @param {readonly number[]} values */
export function median(values) {
	return percentile(values, 0.5);
}
