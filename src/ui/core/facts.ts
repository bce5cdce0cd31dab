/** What is known of a thing, by label, in the order in which it is shown; what is not there has no line. */
export type Facts = Readonly<Record<string, string | null>>;

/** Each label with its text. */
export function factRows(facts: Facts): ReadonlyArray<readonly [label: string, text: string]> {
	return Object.entries(facts).flatMap(([label, text]) => (text ? [[label, text] as const] : []));
}
