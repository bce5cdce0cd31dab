/** Time of day, or the day if it is not today, in at most 9 columns. */
export function clockTime(iso: string, now: Date): string {
	const date = new Date(iso);
	if (date.toDateString() === now.toDateString()) {
		return date.toLocaleTimeString('sv');
	}

	const day = date.toLocaleDateString('en', {month: 'short', day: '2-digit'});
	return date.getFullYear() === now.getFullYear() ? day : `${day} ${date.getFullYear() % 100}`;
}

/** Facts by label, in the order of display. Empty ones are not shown. */
export type Facts = Readonly<Record<string, string | null>>;

/** Labels and texts of the facts that are not empty. */
export function factRows(facts: Facts): ReadonlyArray<readonly [label: string, text: string]> {
	return Object.entries(facts).flatMap(([label, text]) => (text ? [[label, text] as const] : []));
}
