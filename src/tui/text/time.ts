const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A moment as a list shows it, in 8 columns: the time of day, and the day for an earlier one. */
export function clockTime(iso: string, now: Date): string {
	const date = new Date(iso);
	if (date.toDateString() === now.toDateString()) {
		return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
	}

	const day = `${months[date.getMonth()] ?? ''} ${twoDigits(date.getDate())}`;
	return date.getFullYear() === now.getFullYear() ? day : `${day} ${date.getFullYear() % 100}`;
}

function twoDigits(value: number): string {
	return String(value).padStart(2, '0');
}
