/** Where the comments of a header field stand (RFC 5322, section 3.2.2): from the opening parenthesis to behind its closing one. */
export function commentsIn(field: string): Array<readonly [from: number, to: number]> {
	const comments: Array<readonly [number, number]> = [];
	let depth = 0;
	let from = 0;
	let isQuoted = false;
	for (let at = 0; at < field.length; at++) {
		const sign = field[at];
		if (sign === '\\') {
			at++;
		} else if (sign === '"' && depth === 0) {
			isQuoted = !isQuoted;
		} else if (sign === '(' && !isQuoted) {
			from = depth === 0 ? at : from;
			depth++;
		} else if (sign === ')' && depth > 0) {
			depth--;
			if (depth === 0) {
				comments.push([from, at + 1]);
			}
		}
	}

	return comments;
}
