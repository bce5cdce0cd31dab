/**
 * Ways in which a browser shows an attachment in isolation. An SVG (`drawing`) could run scripts and is shown as an image in a sandboxed frame.
 * Browsers do not show a PDF in a sandboxed frame, so it opens in a new tab.
 */
export type InlineForm = 'image' | 'drawing' | 'pdf';

const inlineForms: Readonly<Record<string, InlineForm>> = {
	'image/png': 'image',
	'image/jpeg': 'image',
	'image/gif': 'image',
	'image/webp': 'image',
	'image/avif': 'image',
	'image/bmp': 'image',
	'image/svg+xml': 'drawing',
	'application/pdf': 'pdf',
};

/** Unregistered names that mail programs use. */
const otherNames: Readonly<Record<string, string>> = {
	'image/jpg': 'image/jpeg',
	'image/pjpeg': 'image/jpeg',
	'image/x-png': 'image/png',
	'application/x-pdf': 'application/pdf',
};

/** Registered media type and form of an attachment; undefined if it can only be downloaded. */
export function inlineType(contentType: string): {readonly type: string; readonly form: InlineForm} | undefined {
	const name = contentType.toLowerCase();
	const type = Object.hasOwn(otherNames, name) ? (otherNames[name] ?? name) : name;
	const form = Object.hasOwn(inlineForms, type) ? inlineForms[type] : undefined;
	return form && {type, form};
}
