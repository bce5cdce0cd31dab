/**
 * Whole escape sequences (ECMA-48), so that their parameters do not stay behind as text: control sequences, then
 * strings up to their terminator (titles, links, clipboard), then the short ones. C1 forms count like `ESC` forms. Any
 * other C1 ends a string, as it does in a terminal: nothing is looked at twice, however many strings begin and never end.
 */
const sequences =
	/(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** C0 but for tab and line feed, DEL, C1, and what reorders or breaks lines (bidi controls, line separators). */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Emoji with the characters that make them what they are (joiners, variation selectors, the tags of three flags), then
 * any other character that takes no room: nobody sees that it is there.
 */
const emojiOrInvisible =
	/(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|\p{Extended_Pictographic}[\ufe0e\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*|[\d#*]\ufe0f\u20e3)|\p{Default_Ignorable_Code_Point}/gu;

/**
 * A text from outside as one line that does nothing: a terminal executes what is printed or pasted. Escape sequences,
 * control characters and bidi controls are removed; line breaks and tabs become spaces.
 */
export function plainLine(text: string): string {
	return text
		.replace(sequences, '')
		.replace(/[\t\r\n]+/g, ' ')
		.replace(controls, '');
}

/** The same to be shown: what takes no room is written out, as in `a<U+200B>b`, so that no two values look alike. */
export function sanitizeLine(text: string): string {
	return showInvisible(plainLine(text));
}

/** The same for a text of several lines: line breaks and tabs stay, and every line break is `\n`. */
export function sanitizeText(text: string): string {
	return text.replace(sequences, '').replace(/\r\n?/g, '\n').replace(controls, '');
}

/** A joiner after a letter of a script that needs it to be spelled, as Persian or Hindi. */
const spellingJoiner = /(?<=\p{M}|(?!\p{Script=Latin})\p{L})[\u200c\u200d]/u;

/** `sanitizeText` without what takes no room, and how many such characters there were: text can be hidden in them. */
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
 * Makes visible what cannot be seen where the exact source matters: `␛` for ESC, as Unicode draws it, and `<9B>` or
 * `<U+200B>` for what it has no picture of. Line breaks and tabs stay.
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
					: written(control);
	});
	return showInvisible(visible);
}

function showInvisible(text: string): string {
	return text.replace(emojiOrInvisible, (found: string, emoji?: string) => emoji ?? written(found));
}

/** A character in the notation of Unicode, such as `<U+200B>`. */
function written(character: string): string {
	return `<U+${hex(character).padStart(4, '0')}>`;
}

function hex(character: string): string {
	return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
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

/** File systems take 255 bytes: these and a number, of three bytes each. */
const maxStem = 60;
const maxExtension = 20;

/** Device names of Windows, with or without an extension. */
const reservedNames = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[\d¹²³])\s*(\.|$)/i;

/** What Windows drops at the end of a name, and what hides a file elsewhere. */
const edges = /^[.\s]+|(?<![.\s])[.\s]+$/g;

/** Makes a plain file name of one from outside: never a path, a hidden file, a device, a flag or an escape sequence. */
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
 * Mailboxes from outside as mail writes them (RFC 5322, section 3.4), safe to print: `Ann <ann@example.com>, bob@example.com`.
 * Each is made safe by itself, so that none can hide another.
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

/** A name from outside as it stands before an address, in quotes if it has special characters; safe to print. */
export function phrase(name: string): string {
	const shown = sanitizeLine(name);
	return /^[^()<>[\]:;@\\,"]+$/.test(shown) ? shown : `"${shown.replace(/["\\]/g, '\\$&')}"`;
}

/** The beginning of a text, with a mark where it was cut. A copy: a part of a string keeps all of it in memory. */
export function shortCopy(text: string, maxLength: number): string {
	return Buffer.from(text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text).toString();
}
