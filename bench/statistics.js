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

/**
 * The interquartile range as text, if it is more than a tenth of the median.
 * @param {readonly number[]} values
 */
export function spread(values) {
	const share = (percentile(values, 0.75) - percentile(values, 0.25)) / 2 / median(values);
	return share > 0.05 ? ` ± ${Math.round(share * 100)} %` : '';
}
