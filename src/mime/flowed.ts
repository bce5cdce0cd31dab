import {CutText} from './cut-text.js';

const space = 32;
const quoteMark = 62;

/**
 * Text of `format=flowed` with its paragraphs as lines (RFC 3676). Quotes stay marked, and each depth has paragraphs of its
 * own. With `isSpaceDeleted`, the spaces at which paragraphs were broken are no part of them.
 */
export function unflow(text: string, isSpaceDeleted: boolean): string {
	const unflowed = new CutText(text);
	/** How often the paragraph is quoted that the last line left open; -1 when it left none. */
	let openDepth = -1;

	for (let line = 0, end = 0; line < text.length; line = end + 1) {
		const marksEnd = endOfMarks(text, line);
		const words = text.charCodeAt(marksEnd) === space ? marksEnd + 1 : marksEnd;
		end = endOfLine(text, words);
		const depth = marksEnd - line;
		const isSignature = end - words === 3 && text.startsWith('-- ', words);
		const isFlowed = end > words && text.charCodeAt(end - 1) === space && !isSignature;
		if (depth === openDepth && !isSignature) {
			unflowed.cut(line - 1, words);
		} else if (depth === 0 && words > line) {
			unflowed.cut(line, words);
		}

		if (isFlowed && isSpaceDeleted) {
			unflowed.cut(end - 1, end);
		}

		openDepth = isFlowed ? depth : -1;
	}

	return unflowed.end();
}

function endOfMarks(text: string, line: number): number {
	let end = line;
	while (text.charCodeAt(end) === quoteMark) {
		end++;
	}

	return end;
}

function endOfLine(text: string, start: number): number {
	let end = start;
	while (end < text.length && text.charCodeAt(end) !== 10) {
		end++;
	}

	return end;
}
