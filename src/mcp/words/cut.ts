/** A text up to so many characters, with how many there are where it was cut. */
export function cutLine(text: string, maxLength: number): string {
	return text.length <= maxLength
		? text
		: `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}… (truncated, ${text.length} characters)`;
}

/** The first lines of a list that fit into so many bytes of UTF-8, and how many lines do not. */
export function fitLines(
	lines: readonly string[],
	maxBytes: number,
): {readonly lines: readonly string[]; readonly left: number} {
	let bytes = 0;
	const end = lines.findIndex(line => {
		bytes += Buffer.byteLength(line) + 1;
		return bytes > maxBytes;
	});
	return end === -1 ? {lines, left: 0} : {lines: lines.slice(0, end), left: lines.length - end};
}

/** What fits into so many bytes of UTF-8 of a text, from there on: whole characters, and whole words where these are not very long. */
export function fitText(text: string, offset: number, maxBytes: number): string {
	const rest = text.slice(offset, offset + maxBytes);
	const {read} = new TextEncoder().encodeInto(rest, new Uint8Array(maxBytes));
	const fitting = rest.slice(0, read);
	if (offset + read >= text.length) {
		return fitting;
	}

	const end = Math.max(fitting.lastIndexOf('\n'), fitting.lastIndexOf(' ')) + 1;
	return end > read / 2 ? fitting.slice(0, end) : fitting;
}
