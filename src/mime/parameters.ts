import {commentsIn} from './comments.js';

/**
 * The value of a field like `Content-Type` (RFC 2045, section 5.1) in a form that all parsers take alike: without comments, with
 * a semicolon in front of the first parameter where its sender forgot that, and of equal parameters the first one alone.
 */
export function mendParameters(field: string): string {
	const [first = '', ...others] = piecesOf(field.includes('(') ? withoutComments(field) : field);
	const names = new Set<string>();
	const pieces = [...withSemicolon(first), ...others].filter(piece => {
		const equals = piece.indexOf('=');
		const name = piece.slice(0, equals).trim().toLowerCase();
		const isKept = equals < 0 || !names.has(name);
		names.add(name);
		return isKept;
	});
	return pieces.join(';');
}

/** What stands between semicolons that are not quoted. */
function piecesOf(field: string): string[] {
	const pieces: string[] = [];
	let start = 0;
	let isQuoted = false;
	for (let at = 0; at < field.length; at++) {
		const sign = field[at];
		if (sign === '\\') {
			at++;
		} else if (sign === '"') {
			isQuoted = !isQuoted;
		} else if (sign === ';' && !isQuoted) {
			pieces.push(field.slice(start, at));
			start = at + 1;
		}
	}

	return [...pieces, field.slice(start)];
}

/** The field without comments, but with what looks like one in the middle of a file name that should be quoted. */
function withoutComments(field: string): string {
	let kept = '';
	let end = 0;
	let last = 0;
	for (const [from, to] of commentsIn(field)) {
		const isAtStart = /(?:^|[;=])\s*$/.test(field.slice(last, from)) && /^\s/.test(field.slice(to, to + 1));
		if (isAtStart || /^\s*(?:[;=]|$)/.test(field.slice(to))) {
			kept += field.slice(end, from);
			end = to;
		}

		last = to;
	}

	return kept + field.slice(end);
}

/** The value and the first parameter, which some senders set apart by a space or comma alone. */
function withSemicolon(piece: string): string[] {
	const equals = piece.indexOf('=');
	const before = piece.slice(0, Math.max(equals, 0)).trimEnd();
	const name = Math.max(...[' ', '\t', ','].map(sign => before.lastIndexOf(sign))) + 1;
	return equals < 0 ? [piece] : [piece.slice(0, name), piece.slice(name)];
}
