/** The beginning of a text, with a mark where it was cut. A copy: a part of a string keeps all of it in memory. */
export function shortCopy(text: string, maxLength: number): string {
	return Buffer.from(text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text).toString();
}
