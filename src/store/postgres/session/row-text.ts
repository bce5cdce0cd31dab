/**
 * Escape character for what PostgreSQL cannot store: NUL (as `0`), half a surrogate pair (as its four digits), and itself.
 */
const mark = '\ue000';

const needsMark = /\\u(?:0000|d[89a-f])|\ue000/;

/**
 * Converts a value to JSON that PostgreSQL accepts. Mail may contain NUL and halves of surrogate pairs, which it rejects.
 */
export function rowText(value: unknown): string {
	const json = JSON.stringify(value);
	return needsMark.test(json)
		? json.replace(/\\(?:u0000|u(d[89a-f]..)|.)|\ue000/g, (found, half?: string) =>
				half === undefined ? (found === '\\u0000' ? `${mark}0` : found === mark ? mark + mark : found) : mark + half,
			)
		: json;
}

/** Reverses `rowText`. */
export function parseRow(text: string): unknown {
	return JSON.parse(
		text.includes(mark)
			? text.replace(/\ue000(?:(0)|(\ue000)|(d...))/g, (_, nul?: string, itself?: string, half?: string) =>
					nul ? '\\u0000' : (itself ?? `\\u${half}`),
				)
			: text,
	);
}

/** Escapes a text for a column. Different texts stay different. */
export function columnText(text: string): string {
	return text.replace(
		/\0|\ue000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
		found => mark + (found === '\0' ? '0' : found === mark ? mark : found.charCodeAt(0).toString(16)),
	);
}

/** Escapes NUL in a text that is only compared, as `columnText` does. */
export function withoutNul(text: string): string {
	return text.replaceAll('\0', `${mark}0`);
}

/** Reverses `columnText`. */
export function textOfColumn(text: string): string {
	return text.replace(/\ue000(?:(0)|(\ue000)|(d...))/g, (_, nul?: string, itself?: string, half?: string) =>
		nul ? '\0' : (itself ?? String.fromCharCode(Number.parseInt(half ?? '', 16))),
	);
}
