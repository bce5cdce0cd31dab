/** A moment as a list shows it, in at most 9 columns: the time of day, and the day for an earlier one. */
export function clockTime(iso: string, now: Date): string {
	const date = new Date(iso);
	if (date.toDateString() === now.toDateString()) {
		return date.toLocaleTimeString('sv');
	}

	const day = date.toLocaleDateString('en', {month: 'short', day: '2-digit'});
	return date.getFullYear() === now.getFullYear() ? day : `${day} ${date.getFullYear() % 100}`;
}

/** What is known of a thing, by label, in the order in which it is shown; what is not there has no line. */
export type Facts = Readonly<Record<string, string | null>>;

/** Each label with its text. */
export function factRows(facts: Facts): ReadonlyArray<readonly [label: string, text: string]> {
	return Object.entries(facts).flatMap(([label, text]) => (text ? [[label, text] as const] : []));
}
