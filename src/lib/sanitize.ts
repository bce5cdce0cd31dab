/**
 * Whole escape sequences (ECMA-48), so that their parameters do not stay behind as text: control sequences, then
 * strings up to their terminator (titles, links, clipboard), then the short ones. C1 forms count like `ESC` forms.
 */
const sequences =
	/(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** C0, DEL, C1, and the characters that reorder or break lines (Unicode bidi controls, line and paragraph separator). */
const controls = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const controlsInLines = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Makes text from outside safe to print on one line: a terminal executes what it prints. Escape sequences, control
 * characters and bidi controls go; line breaks and tabs become spaces.
 */
export function sanitizeLine(text: string): string {
	return text
		.replace(sequences, '')
		.replace(/[\t\r\n]+/g, ' ')
		.replace(controls, '');
}

/** The same for a text of several lines: line breaks and tabs stay, and every line break is `\n`. */
export function sanitizeText(text: string): string {
	return text.replace(sequences, '').replace(/\r\n?/g, '\n').replace(controlsInLines, '');
}

/** JSON of a value in which the controls that JSON leaves alone are written as escapes: the same value to any parser. */
export function safeJson(value: unknown, indent?: number): string {
	return JSON.stringify(value, null, indent).replace(
		/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
