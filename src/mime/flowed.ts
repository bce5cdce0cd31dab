/** Lines that are put together at once: as many strings as a mail may have lines take more memory than there is. */
const batchSize = 10_000;

/**
 * Text of `format=flowed` with its paragraphs as lines (RFC 3676). Quotes stay marked, and each depth has paragraphs of its
 * own. With `isSpaceDeleted`, the spaces at which paragraphs were broken are no part of them.
 */
export function unflow(text: string, isSpaceDeleted: boolean): string {
	const batches: string[] = [];
	let batch: string[] = [];
	/** How often the paragraph is quoted that the last line left open; -1 when it left none. */
	let openDepth = -1;
	for (let start = 0; start < text.length; ) {
		const lineEnd = text.indexOf('\n', start);
		const end = lineEnd < 0 ? text.length : lineEnd;
		const depth = depthAt(text, start);
		const {words, isFlowed} = unstuff(text.slice(start + depth, end));
		if (depth !== openDepth || words === '-- ') {
			batch.push(start === 0 ? '' : '\n', '>'.repeat(depth), depth > 0 && words !== '' ? ' ' : '');
		}

		batch.push(isFlowed && isSpaceDeleted ? words.slice(0, -1) : words);
		openDepth = isFlowed ? depth : -1;
		if (batch.length > batchSize) {
			batches.push(batch.join(''));
			batch = [];
		}

		start = end + 1;
	}

	return batches.join('') + batch.join('') + (text.endsWith('\n') ? '\n' : '');
}

function depthAt(text: string, start: number): number {
	let end = start;
	while (text[end] === '>') {
		end++;
	}

	return end - start;
}

/** A line without the space that stuffs it, and whether its paragraph goes on in the next one. */
function unstuff(line: string): {words: string; isFlowed: boolean} {
	const words = line.startsWith(' ') ? line.slice(1) : line;
	return {words, isFlowed: words.endsWith(' ') && words !== '-- '};
}
