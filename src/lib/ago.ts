const units = [
	['d', 86_400],
	['h', 3600],
	['min', 60],
] as const;

/** How long ago a time was, for people: "just now", "5 min ago"; the date when it is long past. */
export function ago(time: string, now: Date): string {
	const seconds = (now.getTime() - Date.parse(time)) / 1000;
	if (!(seconds < 30 * 86_400)) {
		return time.slice(0, 10);
	}

	const [unit, length] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
	return seconds < 5 ? 'just now' : `${Math.floor(seconds / length)} ${unit} ago`;
}
