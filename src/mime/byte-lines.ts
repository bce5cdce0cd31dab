const carriageReturn = 13;
const lineFeed = 10;
const space = 32;

/** Where the line begins that follows on the one at `start`; -1 when it has no end, unless it is the last one. */
export function lineAfter(bytes: Buffer, start: number, isLast: boolean): number {
	let end = start;
	while (end < bytes.length && bytes[end] !== lineFeed) {
		end++;
	}

	if (end < bytes.length) {
		return end + 1;
	}

	return isLast && end > start ? end : -1;
}

/** Where the spaces and the line end in front of a line begin. */
export function paddingBefore(bytes: Buffer, line: number): number {
	let start = line;
	while ((bytes[start - 1] ?? 0) <= space) {
		start--;
	}

	return start;
}

/** Where the line end in front of a line begins. */
export function lineEndBefore(bytes: Buffer, from: number, line: number): number {
	if (line === from || bytes[line - 1] !== lineFeed) {
		return line;
	}

	return line - 1 > from && bytes[line - 2] === carriageReturn ? line - 2 : line - 1;
}

export function isBlank(bytes: Buffer, line: number): boolean {
	return bytes[line] === lineFeed || (bytes[line] === carriageReturn && bytes[line + 1] === lineFeed);
}
