/**
 * Complete escape sequences (ECMA-48), so that their parameters do not remain as text: control sequences, then strings up to
 * their terminator (titles, links, clipboard), then short ones. C1 forms count like `ESC` forms. Any other C1 character ends
 * a string, as in a terminal, which keeps the match linear.
 */
const sequences =
	/(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** C0 except tab and line feed, DEL, C1, and characters that reorder or break lines (bidi controls, line separators). */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Emoji with their modifiers (joiners, variation selectors, the tags of three flags), or any other invisible character. */
const emojiOrInvisible =
	/(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Extended_Pictographic}[\ufe0e\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*|[\d#*]\ufe0f\u20e3)|\p{Default_Ignorable_Code_Point}/gu;

/**
 * Untrusted text as one harmless line, as a terminal executes what is printed or pasted. Removes escape sequences, control
 * characters and bidi controls; line breaks and tabs become spaces.
 */
export function plainLine(text: string): string {
	return text
		.replace(sequences, '')
		.replace(/[\t\r\n]+/g, ' ')
		.replace(controls, '');
}

/** Like `plainLine`, with invisible characters written out, as in `a<U+200B>b`, so that different values look different. */
export function sanitizeLine(text: string): string {
	return showInvisible(plainLine(text));
}

/** Like `sanitizeLine`, for several lines: tabs remain, and every line break becomes `\n`. */
export function sanitizeText(text: string): string {
	return text.replace(sequences, '').replace(/\r\n?/g, '\n').replace(controls, '');
}

/** Joiner after a letter of a script that needs it for spelling, such as Persian or Hindi. */
const spellingJoiner = /(?<=\p{M}|(?!\p{Script=Latin})\p{L})[\u200c\u200d]/u;

/** Like `sanitizeText`, without invisible characters, in which text can be hidden. Also returns their number. */
export function dropInvisible(text: string): {readonly text: string; readonly dropped: number} {
	let dropped = 0;
	const clean = sanitizeText(text);
	const isSpelling = new RegExp(spellingJoiner, 'uy');
	const visible = clean.replace(emojiOrInvisible, (found: string, emoji: string | undefined, at: number) => {
		isSpelling.lastIndex = at;
		if (emoji !== undefined || isSpelling.test(clean)) {
			return found;
		}

		dropped++;
		return '';
	});
	return {text: visible, dropped};
}

/**
 * Shows control and invisible characters of a source: `␛` for ESC, and `<9B>` or `<U+200B>` for characters without a
 * picture. Line breaks and tabs remain.
 */
export function showControls(text: string): string {
	const visible = text.replace(/\r\n/g, '\n').replace(controls, control => {
		const code = control.charCodeAt(0);
		return code < 0x20
			? String.fromCharCode(0x2400 + code)
			: code === 0x7f
				? '␡'
				: code < 0xa0
					? `<${hex(control)}>`
					: unicodeNotation(control);
	});
	return showInvisible(visible);
}

function showInvisible(text: string): string {
	return text.replace(emojiOrInvisible, (found: string, emoji?: string) => emoji ?? unicodeNotation(found));
}

/** Unicode notation of a character, such as `<U+200B>`. */
function unicodeNotation(character: string): string {
	return `<U+${hex(character).padStart(4, '0')}>`;
}

function hex(character: string): string {
	return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}

/** JSON of a value, safe to print. */
export function safeJson(value: unknown, indent?: number): string {
	return escapeJson(JSON.stringify(value, null, indent));
}

/** Escapes the control characters that JSON allows: the same value for any parser, and safe to print. */
export function escapeJson(json: string): string {
	return json.replace(
		/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** Quotes any text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
	return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Maximum characters of a file name. File systems accept 255 bytes, and a character takes up to three, with a number after
 * it.
 */
const maxStem = 60;
const maxExtension = 20;

/** Device names of Windows, with or without an extension. */
const reservedNames = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[\d¹²³])\s*(\.|$)/i;

/** Characters that Windows drops at the end of a name, and that hide a file elsewhere. */
const edges = /^[.\s]+|(?<![.\s])[.\s]+$/g;

/** Safe file name for an untrusted one: never a path, a hidden file, a device, a flag or an escape sequence. */
export function safeFileName(name: string, fallback: string): string {
	const base = plainLine(name.split(/[/\\]/).at(-1) ?? '')
		.replace(emojiOrInvisible, (_, emoji = '') => emoji)
		.replace(/[<>:"|?*]/g, '_')
		.replace(edges, '')
		.replace(reservedNames, '_$&')
		.replace(/^-/, '_-');
	const [, stem = '', extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(base) ?? [];
	return base === '' ? fallback : (stem.slice(0, maxStem) + extension.slice(0, maxExtension)).replace(edges, '');
}

/**
 * Formats untrusted mailboxes as in mail (RFC 5322, section 3.4), safe to print: `Ann <ann@example.com>, bob@example.com`.
 * Each is sanitized separately, so that none can hide another.
 */
export function mailboxList(
	mailboxes: ReadonlyArray<{readonly name: string | null; readonly address: string}>,
): string {
	const shown = mailboxes.map(({name, address}) => {
		const safe = sanitizeLine(address);
		return name === null ? safe : `${phrase(name)} <${safe}>`;
	});
	return shown.join(', ');
}

/** Formats an untrusted display name, quoted if it has special characters; safe to print. */
export function phrase(name: string): string {
	const shown = sanitizeLine(name);
	return /^[^()<>[\]:;@\\,"]+$/.test(shown) ? shown : `"${shown.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * First `maxLength` characters of a text, with a mark if it was cut. Copies them, because a substring keeps the whole string
 * in memory.
 */
export function shortCopy(text: string, maxLength: number): string {
	return Buffer.from(text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text).toString();
}

/** Maximum characters of a recorded text from a client. Host names have at most 255, addresses 320. */
export const maxRecordedText = 320;

/** Shortens a recorded text to `maxRecordedText` characters, like `shortCopy`. */
export function shortText<Text extends string | null>(text: Text): Text | string {
	return text && shortCopy(text, maxRecordedText);
}
