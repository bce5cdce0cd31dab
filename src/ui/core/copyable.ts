/** A text that can be copied, and the key that copies it. */
export type Copyable = {readonly key: string; readonly label: string; readonly text: string};

/** Those of the texts that there are, by their keys. */
export function copyablesOf(
	items: Readonly<Record<string, readonly [label: string, text: string | undefined]>>,
): readonly Copyable[] {
	return Object.entries(items).flatMap(([key, [label, text]]) => (text === undefined ? [] : [{key, label, text}]));
}
