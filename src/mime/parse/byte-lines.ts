const carriageReturn = 13;
const lineFeed = 10;
const space = 32;

/** Maximum length of a field name (RFC 5322, section 2.1.1). */
const maxFieldName = 998;

/** Returns the start of the next line; -1 if the line at `start` has no end yet, unless it is the last one. */
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

/** Returns the start of the white space before a line, which includes the line end. */
export function paddingBefore(bytes: Buffer, line: number): number {
	let start = line;
	while ((bytes[start - 1] ?? 0) <= space) {
		start--;
	}

	return start;
}

/** Returns the start of the line end before a line. */
export function lineEndBefore(bytes: Buffer, from: number, line: number): number {
	if (line === from || bytes[line - 1] !== lineFeed) {
		return line;
	}

	return line - 1 > from && bytes[line - 2] === carriageReturn ? line - 2 : line - 1;
}

/** True if the line is empty, even if each line end has an extra carriage return. */
export function isBlank(bytes: Buffer, line: number): boolean {
	let end = line;
	while (end < line + 2 && bytes[end] === carriageReturn) {
		end++;
	}

	return bytes[end] === lineFeed;
}

/** True if the line may be part of a header section. */
export function isOfHeader(bytes: Buffer, line: number, next: number): boolean {
	const beginning = bytes.subarray(line, Math.min(next, line + maxFieldName));
	return isFold(bytes, line) || /^[!-9;-~]+[ \t]*:/.test(beginning.toString('latin1'));
}

/** True if the line continues the header field before it. */
export function isFold(bytes: Buffer, line: number): boolean {
	return (bytes[line] ?? 0) <= space;
}
