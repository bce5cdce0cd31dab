/**
 * Whole escape sequences (ECMA-48), so that their parameters do not stay behind as text: control sequences, then
 * strings up to their terminator (titles, links, clipboard), then the short ones. C1 forms count like `ESC` forms.
 */
const sequences =
	/(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** C0 but for tab and line feed, DEL, C1, and what reorders or breaks lines (bidi controls, line separators). */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Makes text from outside safe to print on one line: a terminal executes what it prints. Escape sequences, control
 * characters and bidi controls are removed; line breaks and tabs become spaces.
 */
export function sanitizeLine(text: string): string {
	return text
		.replace(sequences, '')
		.replace(/[\t\r\n]+/g, ' ')
		.replace(controls, '');
}

/** The same for a text of several lines: line breaks and tabs stay, and every line break is `\n`. */
export function sanitizeText(text: string): string {
	return text.replace(sequences, '').replace(/\r\n?/g, '\n').replace(controls, '');
}

/**
 * Makes control characters visible where the exact source matters: `␛` for ESC, as Unicode draws them, and `<9B>` for
 * those of C1. Line breaks and tabs stay.
 */
export function showControls(text: string): string {
	return text
		.replace(/\r\n/g, '\n')
		.replace(/[\0-\x08\x0b-\x1f]/g, control => String.fromCharCode(0x2400 + control.charCodeAt(0)))
		.replace(/\x7f/g, '␡')
		.replace(/[\x80-\x9f]/g, control => `<${control.charCodeAt(0).toString(16).toUpperCase()}>`);
}

/** A value as JSON, safe to print. */
export function safeJson(value: unknown, indent?: number): string {
	return escapeJson(JSON.stringify(value, null, indent));
}

/** JSON with escapes for the control characters that it allows: the same value to any parser, and safe to print. */
export function escapeJson(json: string): string {
	return json.replace(
		/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** A text as one word of a POSIX shell, whatever it holds. */
export function shellQuote(text: string): string {
	return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const maxStem = 100;
const maxExtension = 20;

/** Device names of Windows, with or without an extension. */
const reservedNames = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Makes a plain file name of one from outside: never a path, a hidden file, a device or an escape sequence. */
export function safeFileName(name: string, fallback: string): string {
	const base = sanitizeLine(name.split(/[/\\]/).at(-1) ?? '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[.\s]+|[.\s]+$/g, '')
		.replace(reservedNames, '_$&');
	const [, stem = '', extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(base) ?? [];
	return base === '' ? fallback : stem.slice(0, maxStem) + extension.slice(0, maxExtension);
}
