/**
 * How a browser shows an attachment in isolation: as an image; as a drawing, an SVG, which is a document that could run scripts and is
 * therefore made an image in a frame with a sandbox; or as a PDF, which browsers show in no such frame: in a tab of its own.
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

/** What mail programs say for these. */
const otherNames: Readonly<Record<string, string>> = {
	'image/jpg': 'image/jpeg',
	'image/pjpeg': 'image/jpeg',
	'image/x-png': 'image/png',
	'application/x-pdf': 'application/pdf',
};

/** The media type as it is registered, and its form; undefined for an attachment that is a file to keep and nothing else. */
export function inlineType(contentType: string): {readonly type: string; readonly form: InlineForm} | undefined {
	const name = contentType.toLowerCase();
	const type = Object.hasOwn(otherNames, name) ? (otherNames[name] ?? name) : name;
	const form = Object.hasOwn(inlineForms, type) ? inlineForms[type] : undefined;
	return form && {type, form};
}
