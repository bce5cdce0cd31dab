import {createHash} from 'node:crypto';
import {type InlineForm, inlineType} from '../../contract/inline.js';
import type {Attachment} from '../../domain/mail/message.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {bytePieces, type Piece, textPieces} from '../pieces.js';
import {escapeHtml} from './html-page.js';

/** An attachment as a browser shows it, of itself or of what was made of it. */
export type InlineAttachment = {readonly type: string; readonly policy: string; readonly pieces: readonly Piece[]};

/** Bytes of a drawing that is shown; a larger one can be kept. */
const maxDrawing = 1024 * 1024;

const style = 'body {margin: 0} img {display: block; max-width: 100%; margin: auto}';
const styleHash = createHash('sha256').update(style).digest('base64');

/** None of them runs anything, loads anything or has an origin. A PDF stands in no page: in one, its links would lead that page away. */
const policies: Readonly<Record<InlineForm, string>> = {
	image: "sandbox; default-src 'none'; frame-ancestors 'self'",
	drawing: `sandbox; default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; frame-ancestors 'self'`,
	pdf: "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/** Undefined for what a browser does not show in isolation. */
export function inlineAttachment(
	{filename, contentType}: Pick<Attachment, 'filename' | 'contentType'>,
	bytes: Buffer,
): InlineAttachment | undefined {
	const {type, form} = inlineType(contentType) ?? {};
	if (type === undefined || form === undefined || (form === 'drawing' && bytes.length > maxDrawing)) {
		return undefined;
	}

	const policy = policies[form];
	return form === 'drawing'
		? {type: 'text/html; charset=utf-8', policy, pieces: drawingPage(sanitizeLine(filename), type, bytes)}
		: {type, policy, pieces: bytePieces(bytes)};
}

function drawingPage(name: string, type: string, bytes: Buffer): readonly Piece[] {
	const title = escapeHtml(name || 'Image');
	return [
		() => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>`,
		() => `<img alt="${title}" src="data:${type};base64,`,
		...textPieces(bytes.toString('base64')),
		() => '">',
	];
}
