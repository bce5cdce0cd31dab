const units = [
	['d', 86_400],
	['h', 3600],
	['min', 60],
] as const;

/** How long ago a time was, for people: "just now", "5 min ago"; the date when it is long past. */
export function ago(time: string, now: Date): string {
	const seconds = (now.getTime() - Date.parse(time)) / 1000;
	const unit = units.find(([, length]) => seconds >= length);
	if (!(seconds < 30 * 86_400)) {
		return time.slice(0, 10);
	}

	return unit
		? `${Math.floor(seconds / unit[1])} ${unit[0]} ago`
		: seconds < 5
			? 'just now'
			: `${Math.floor(seconds)} s ago`;
}
