/** Rows of a list, for `wrapHelp`: a name and its explanation. */
export function twoColumns(rows: ReadonlyArray<readonly [name: string, text: string]>): string {
	const width = Math.max(...rows.map(([name]) => name.length));
	return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}
