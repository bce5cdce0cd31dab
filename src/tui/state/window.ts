/** The rows in view of a long list: the selected one in the middle, as far as both ends allow. */
export function windowOf(
	count: number,
	selected: number,
	height: number,
): {readonly start: number; readonly end: number} {
	const start = Math.max(0, Math.min(selected - Math.floor(height / 2), count - height));
	return {start, end: Math.min(count, start + height)};
}
