const carriageReturn = 13;
const lineFeed = 10;
const space = 32;

/** What is longer is no name of a field (RFC 5322, section 2.1.1). */
const maxFieldName = 998;

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

/** Whether a line is empty, also where each line end has one carriage return too many. */
export function isBlank(bytes: Buffer, line: number): boolean {
	let end = line;
	while (end < line + 2 && bytes[end] === carriageReturn) {
		end++;
	}

	return bytes[end] === lineFeed;
}

/** Whether a line may be one of a header section. */
export function isOfHeader(bytes: Buffer, line: number, next: number): boolean {
	const beginning = bytes.subarray(line, Math.min(next, line + maxFieldName));
	return isFold(bytes, line) || /^[!-9;-~]+[ \t]*:/.test(beginning.toString('latin1'));
}

/** Whether a line of a header section belongs to the one before it. */
export function isFold(bytes: Buffer, line: number): boolean {
	return (bytes[line] ?? 0) <= space;
}
